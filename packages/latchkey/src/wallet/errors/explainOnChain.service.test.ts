import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { demo, mint } from '@latchkey/testkit/demoToken'
import {
  approving,
  burning,
  complaining,
  expired,
  failingAfterwards,
  returning,
  reverting,
} from '@latchkey/testkit/wallet/stubContracts'
import { refusalCauses } from 'latchkey-protocol'
import {
  type Address,
  concatHex,
  createClient,
  custom,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  slice,
} from 'viem'
import { entryPoint06Abi, entryPoint07Abi, getUserOperationHash, toPackedUserOperation } from 'viem/account-abstraction'
import { beforeAll, describe, expect, test } from 'vitest'
import { readRevertData } from '../../accounts/errors/RpcError.ts'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { type EntryPointVersion, entryPoints } from '../../core/chains/entryPoints.ts'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import { rpc } from '../rpc.ts'
import type { UserOperationRequest } from '../userOperation/types.ts'
import { UserOperationRefusedError } from './UserOperationRefusedError.ts'

// Uses its own chain, because the base fee determines which limit fails first.
const stage = setChain({ isOwn: true })
const factoryAbi = parseAbi([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
])

type Operation = UserOperationRequest
type Change = Partial<Operation>

async function place(bytecode: Hex): Promise<Address> {
  const { address } = newKey()
  await stage.tester.setCode({ address, bytecode })
  return address
}

const beneficiary = newKey().address

const hex = (value: number | bigint) => numberToHex(value)

const formats = {
  '0.6.0': {
    version: 'v1.1.0',
    base: { initCode: '0x', paymasterAndData: '0x' },
    deploy: (factory: Address, data: Hex): Change => ({ initCode: concatHex([factory, data]) }),
    paidBy: (paymaster: Address): Change => ({ paymasterAndData: paymaster }),
    /** First byte of the selector of `validatePaymasterUserOp`. */
    validation: '0xf4',
    handleOps: (operation: Operation) =>
      encodeFunctionData({
        abi: entryPoint06Abi,
        functionName: 'handleOps',
        args: [[toNumbers(operation)], beneficiary],
      }),
  },
  '0.7.0': {
    version: 'v2.0.0',
    base: {},
    deploy: (factory: Address, factoryData: Hex): Change => ({ factory, factoryData }),
    paidBy: (paymaster: Address): Change => ({
      paymaster,
      paymasterData: '0x',
      paymasterVerificationGasLimit: hex(200_000),
      paymasterPostOpGasLimit: hex(50_000),
    }),
    validation: '0x52',
    handleOps: (operation: Operation) =>
      encodeFunctionData({
        abi: entryPoint07Abi,
        functionName: 'handleOps',
        args: [[toPackedUserOperation(toNumbers(operation))], beneficiary],
      }),
  },
} as const

function toNumbers(operation: Operation) {
  const isQuantity = (name: string) => name === 'nonce' || /Gas|Fee/.test(name)
  const entries = Object.entries(operation).map(([name, value]) => [
    name,
    isQuantity(name) ? BigInt(value as Hex) : value,
  ])
  return Object.fromEntries(entries) as never
}

/** Creates a bundler that only simulates operations at the EntryPoint and returns its error. */
function strictBundler(handleOps: (operation: Operation) => Hex) {
  const node = stage.transport({ chain: stage.chain })
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    if (method !== 'eth_sendUserOperation') return node.request({ method, params } as never)
    const [operation, to] = params as [Operation, Address]
    const data = await node
      .request({
        method: 'eth_call',
        params: [{ to, data: handleOps(operation), gas: hex(20_000_000) }, 'latest'],
      } as never)
      .then(() => undefined, readRevertData)
    if (!data) return `0x${'00'.repeat(32)}`
    const { args } = decodeErrorResult({ abi: [...entryPoint06Abi, ...entryPoint07Abi], data })
    const words = args?.find((value) => typeof value === 'string' && value.startsWith('AA'))
    throw Object.assign(new TypeError(String(words ?? args)), { code: -32500 })
  }
  return createClient({ chain: stage.chain, transport: custom({ request }, { retryCount: 0 }) })
}

describe.each(['0.6.0', '0.7.0'] as const satisfies readonly EntryPointVersion[])('EntryPoint %s', (entryPoint) => {
  const { version, base, deploy, paidBy, validation, handleOps } = formats[entryPoint]
  const { address } = entryPoints[entryPoint]
  const met = new Set<string>()
  let agreeing: Address
  beforeAll(async () => {
    agreeing = await place(returning(0n))
  })

  const build = (change: Change): Operation =>
    ({
      sender: agreeing,
      nonce: '0x0',
      callData: '0x',
      signature: '0x',
      callGasLimit: hex(50_000),
      verificationGasLimit: hex(1_000_000),
      preVerificationGas: hex(50_000),
      maxFeePerGas: '0x0',
      maxPriorityFeePerGas: '0x0',
      ...base,
      ...change,
    }) as Operation

  /** Sends an operation to the strict bundler or, with `isReal`, to the devnet's bundler, and returns its refusal. */
  async function refuse(change: Change, isReal = false): Promise<UserOperationRefusedError | undefined> {
    const operation = build(change)
    const call = { method: 'eth_sendUserOperation', params: [operation, address], action: 'Could not send it.' }
    const real = createClient({ chain: stage.chain, transport: stage.transport })
    const error = await rpc(isReal ? real : strictBundler(handleOps), call).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (error === undefined) return undefined
    if (!(error instanceof UserOperationRefusedError)) throw error
    if (error.failure) met.add(error.failure)
    return error
  }

  /** Changes a gas limit step by step until the given failure occurs. */
  async function atEdge(failure: string, field: keyof Operation, change: Change, from: number) {
    for (let limit = from; limit < from + 40_000; limit += 250) {
      const error = await refuse({ ...change, [field]: hex(limit) })
      if (error?.failure === failure) return { error, limit }
    }
    throw new RangeError(`${failure} was not met`)
  }

  const makeLight = () => toLightAccount({ client: stage.reader, owner: newKey(), version })

  async function deployed() {
    const account = await stage.funded(await makeLight())
    await stage.send(account, [mint(account.address, 1n)])
    return account
  }

  test('AA10: explains that the account is deployed already', async () => {
    const account = await makeLight()
    const args = await account.getFactoryArgs()
    await stage.funded(account)
    await stage.send(account, [mint(account.address, 1n)])
    const error = await refuse({ sender: account.address, ...deploy(args.factory as Address, args.factoryData as Hex) })
    expect(error).toMatchObject({ failure: 'AA10', code: 'USER_OPERATION_INVALID' })
  })

  test('AA13, AA14, AA15, AA20: explains why the account is not deployed', async () => {
    const account = await makeLight()
    const { address: sender } = account
    const { factory, factoryData } = (await account.getFactoryArgs()) as { factory: Address; factoryData: Hex }
    const owner = getAddress(slice(factoryData, 16, 36))
    const other = encodeFunctionData({ abi: factoryAbi, functionName: 'createAccount', args: [owner, 9n] })
    const look = encodeFunctionData({ abi: factoryAbi, functionName: 'getAddress', args: [owner, 0n] })
    const nowhere = newKey().address
    const fees = { maxFeePerGas: hex(3_000_000_000), maxPriorityFeePerGas: hex(1_000_000_000) }
    for (const [failure, change, line] of [
      ['AA13', deploy(demo, '0x12345678'), demo],
      ['AA14', deploy(factory, other), factory],
      ['AA15', deploy(factory, look), factory],
      ['AA20', {}, 'names no factory'],
    ] as const) {
      const error = await refuse({ sender, ...change, ...fees }, failure === 'AA20')
      expect(error).toMatchObject({ failure, shortMessage: refusalCauses[failure]?.what })
      expect(error?.message).toContain(`The account ${sender} is not deployed on this chain`)
      expect(error?.message.toLowerCase()).toContain(line.toLowerCase())
    }
    expect((await refuse({ sender, ...deploy(nowhere, '0x12345678') }))?.message).toContain('there is no contract at')
  })

  test('AA21: names balance and prefund', async () => {
    const account = await deployed()
    await stage.tester.setBalance({ address: account.address, value: 7n })
    const nonce = hex(await account.getNonce())
    const error = await refuse({
      sender: account.address,
      signature: await account.getStubSignature(),
      nonce,
      maxFeePerGas: hex(10n ** 12n),
      maxPriorityFeePerGas: '0x1',
    })
    expect(error?.figures).toMatchObject({ balance: 7n, prefund: 1_100_000n * 10n ** 12n })
    expect(error?.message).toContain('0.000000000000000007 ETH')
    expect(error?.message).toContain('The operation needs up to 1.1 ETH.')
    expect(error).toMatchObject({
      failure: 'AA21',
      shortMessage: 'The account cannot pay for the gas of this operation.',
    })
  })

  test('AA22, AA23, AA24: explains a refusal of the account', async () => {
    const late = await refuse({ sender: await place(returning(expired)) })
    expect(late).toMatchObject({ failure: 'AA22' })
    expect(late?.figures.blockTime).toBeGreaterThan(1_600_000_000n)
    expect(await refuse({ sender: await place(reverting) })).toMatchObject({
      failure: 'AA23',
      code: 'CONTRACT_REVERTED',
    })
    expect(await refuse({ sender: await place(returning(1n)) })).toMatchObject({ failure: 'AA24' })
  })

  test('AA25: names both nonces', async () => {
    const far = await refuse({ nonce: '0x5' })
    expect(far).toMatchObject({ failure: 'AA25', figures: { nonce: 5n, nextNonce: 0n } })
    expect(far?.message).toContain('Operations before it are missing.')
    const account = await deployed()
    const signature = await account.getStubSignature()
    const used = await refuse({ sender: account.address, signature, nonce: '0x0' })
    expect(used).toMatchObject({ failure: 'AA25', figures: { nonce: 0n, nextNonce: 1n } })
    expect(used?.message).toContain('It was used already.')
  })

  test('AA30 to AA34: explains a refusal of the paymaster', async () => {
    const fees = { maxFeePerGas: hex(3_000_000_000), maxPriorityFeePerGas: hex(1_000_000_000) }
    for (const [failure, paymaster, change] of [
      ['AA30', newKey().address, fees],
      ['AA31', await place(approving(0n)), fees],
      ['AA32', await place(approving(expired)), {}],
      ['AA33', await place(reverting), {}],
      ['AA34', await place(approving(1n)), {}],
    ] as const) {
      const error = await refuse({ ...paidBy(paymaster), ...change }, failure === 'AA30')
      expect([failure, error?.failure]).toEqual([failure, failure])
      expect(error?.shortMessage).toBe(refusalCauses[failure]?.what)
      if (failure === 'AA31') expect(error?.figures).toMatchObject({ deposit: 0n })
      if (failure === 'AA31') expect(error?.message).toContain(`The paymaster ${paymaster} has 0 ETH.`)
    }
  })

  async function withDeposit(bytecode: Hex): Promise<Address> {
    const contract = await place(bytecode)
    const data = encodeFunctionData({ abi: entryPoint06Abi, functionName: 'depositTo', args: [contract] })
    await stage.tester.setBalance({ address: beneficiary, value: 10n ** 19n })
    await stage.tester.impersonateAccount({ address: beneficiary })
    await stage.tester.sendUnsignedTransaction({ from: beneficiary, to: address, data, value: 10n ** 18n })
    return contract
  }

  const slow = (then: Hex) => withDeposit(burning(2000, then))

  if (entryPoint === '0.6.0') {
    test('AA40, AA41: names limit and need', async () => {
      const sender = await slow(returning(0n))
      const { error, limit } = await atEdge('AA40', 'verificationGasLimit', { sender }, 52_000)
      expect(error.figures.limit).toBe(BigInt(limit))
      expect(error.figures.needed).toBeGreaterThan(BigInt(limit))
      const paid = { sender, ...paidBy(await place(approving(0n))) }
      const left = await refuse({ ...paid, verificationGasLimit: hex(limit) })
      expect(left).toMatchObject({ failure: 'AA41', figures: { limit: BigInt(limit) } })
    })

    test('AA50: explains a failed postOp', async () => {
      const error = await refuse(paidBy(await place(failingAfterwards(validation))))
      expect(error).toMatchObject({ failure: 'AA50', code: 'POLICY_REFUSED' })
    })

    test('AA51: names the sum of the limits', async () => {
      const sender = await withDeposit(complaining)
      // Logging a revert costs gas that no limit includes.
      const gas = {
        callData: '0x12',
        callGasLimit: hex(600),
        preVerificationGas: '0x0',
        // Both fees are equal, so the price does not depend on the base fee.
        maxFeePerGas: hex(1_000_000),
        maxPriorityFeePerGas: hex(1_000_000),
      } as const
      const { error } = await atEdge('AA51', 'verificationGasLimit', { sender, ...gas }, 5_000)
      // `limit` is the sum of the three gas limits.
      expect(error.figures.limit).toBeGreaterThan(5600n)
    })
  } else {
    test('AA26, AA36: names limit and need', async () => {
      const sender = await slow(returning(0n))
      const { error, limit } = await atEdge('AA26', 'verificationGasLimit', { sender }, 52_000)
      expect(error.figures.limit).toBe(BigInt(limit))
      expect(error.figures.needed).toBeGreaterThan(BigInt(limit))
      const paid = paidBy(await slow(approving(0n)))
      const edge = await atEdge('AA36', 'paymasterVerificationGasLimit', paid, 52_000)
      expect(edge.error.figures.limit).toBe(BigInt(edge.limit))
    })

    test('reports an included operation whose postOp failed, in place of AA50', async () => {
      const paymaster = await withDeposit(failingAfterwards(validation))
      const operation = build({ sender: await place(returning(0n)), ...paidBy(paymaster) })
      const transaction = { from: beneficiary, to: address, data: handleOps(operation), gas: 5_000_000n }
      await stage.tester.sendUnsignedTransaction(transaction)
      const hash = getUserOperationHash({
        chainId: stage.chain.id,
        entryPointAddress: address,
        entryPointVersion: '0.7',
        userOperation: toNumbers(operation),
      })
      const node = stage.transport({ chain: stage.chain })
      const withoutReceipts = custom({
        request: async (call) => (call.method === 'eth_getUserOperationReceipt' ? null : node.request(call)),
      })
      const account = await makeLight()
      for (const transport of [stage.transport, withoutReceipts]) {
        const client = createSmartAccountClient({ account, chain: stage.chain, transport })
        await expect(client.waitForUserOperationTransaction({ hash })).rejects.toMatchObject({
          code: 'USER_OPERATION_REVERTED',
          shortMessage: 'The user operation was included, but its paymaster failed after its calls, which were undone.',
          reason: expect.stringContaining('PostOpReverted'),
        })
      }
    })
  }

  test('AA95: names the sum of the limits', async () => {
    // With this limit, the sum of the operation's limits exceeds the gas of the EntryPoint call.
    const error = await refuse({ callGasLimit: hex(19_900_000) })
    expect(error).toMatchObject({ failure: 'AA95', figures: { limit: 20_950_000n } })
    expect(error?.shortMessage).toBe(refusalCauses.AA95?.what)
  })

  test('covers every cause of the table for this version', () => {
    const here = Object.entries(refusalCauses).filter(([, cause]) => (cause.entryPoint ?? entryPoint) === entryPoint)
    // In version 0.7, an operation that fails with AA50 is included, and bundlers report it with their own messages.
    const expected = here.map(([failure]) => failure).filter((failure) => entryPoint === '0.6.0' || failure !== 'AA50')
    expect([...met].sort()).toEqual(expected.sort())
  })

  test('reports a repeated operation as included already', async () => {
    const account = await stage.funded(await makeLight())
    const { chain, transport } = stage
    const client = createSmartAccountClient({ account, chain, transport })
    const { target, data } = { target: demo, data: mint(account.address, 1n).data }
    const { hash, request } = await client.sendUserOperation({ uo: { target, data } })
    await client.waitForUserOperationTransaction({ hash })
    const resend = (operation: object) =>
      rpc(client, { method: 'eth_sendUserOperation', params: [operation, address], action: 'Could not send it.' })
    await expect(resend(request)).rejects.toMatchObject({
      code: 'USER_OPERATION_INCLUDED',
      shortMessage: 'This operation is already in a block.',
    })
    // Another operation with the same nonce must not count as included.
    const other = { ...request, callData: '0x1234' }
    await expect(resend(other)).rejects.toMatchObject({ code: 'USER_OPERATION_INVALID' })
  })
})
