import {
  type LightOperation,
  lightOperation,
  signAndSend,
  type Version,
} from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, parseEther } from 'viem'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { demo, entryPoints, paymasters } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
])
type Fields = Record<string, Hex>

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

const mint = (to: Address, amount = '100') =>
  encodeFunctionData({ abi, functionName: 'mint', args: [to, parseEther(amount)] })
const minting = (version: Version) => lightOperation(gateway, version, (sender) => [{ to: demo, data: mint(sender) }])

function sponsor({ version, userOperation, dummySignature }: LightOperation, more: object = {}, app = gateway.app) {
  const request = { policyId: 'default', entryPoint: entryPoints[version], userOperation, dummySignature }
  return gateway.ask('alchemy_requestGasAndPaymasterAndData', [{ ...request, overrides: {}, ...more }], app)
}

test.for(versions)('fills in gas, fees and a paymaster that pays, entry point %s', async (version) => {
  const operation = await minting(version)
  const filled = (await sponsor(operation)).result as Fields
  const own =
    version === '0.6.0'
      ? ['paymasterAndData']
      : ['paymaster', 'paymasterData', 'paymasterPostOpGasLimit', 'paymasterVerificationGasLimit']
  const common = ['callGasLimit', 'maxFeePerGas', 'maxPriorityFeePerGas', 'preVerificationGas', 'verificationGasLimit']
  expect(Object.keys(filled).sort()).toEqual([...common, ...own].sort())
  for (const name of common) expect(filled[name], name).toMatch(/^0x[1-9a-f][0-9a-f]*$/)
  const data = filled.paymasterAndData ?? `${filled.paymaster}${filled.paymasterData?.slice(2)}`
  expect(data).toMatch(new RegExp(`^${paymasters[version]}[0-9a-f]{24}0{40}[0-9a-f]{130}$`, 'i'))

  const { hash, reply } = await signAndSend(gateway, operation, filled)
  expect(reply).toMatchObject({ result: hash })
  const receipt = await gateway.waitForReceipt(hash)
  expect(receipt).toMatchObject({ success: true, paymaster: paymasters[version] })
  const balance = (address: Address) =>
    gateway.client.readContract({ address, abi, functionName: 'balanceOf', args: [operation.sender] })
  expect(await balance(demo)).toBe(parseEther('100'))
  expect(await balance(entryPoints[version])).toBe(0n)
  expect(await gateway.client.getBalance({ address: operation.sender })).toBe(0n)

  const rows = gateway.db.selectFrom('sponsorships').selectAll().where('user_op_hash', '=', hash)
  const row = await rows.executeTakeFirstOrThrow()
  expect(row).toMatchObject({ project_id: 'app', policy_id: 'default', state: 'signed', chain_id: '31337', nonce: '0' })
  expect(BigInt(row.max_cost)).toBeGreaterThanOrEqual(BigInt(receipt?.actualGasCost ?? '0x0'))

  const { factory, factoryData, ...rest } = operation.userOperation
  const made = version === '0.6.0' ? { initCode: '0x' as Hex } : {}
  const next = { ...operation, userOperation: { ...rest, ...made, nonce: '0x1' as Hex } }
  const second = await signAndSend(gateway, next, (await sponsor(next)).result as Fields)
  expect(await gateway.waitForReceipt(second.hash)).toMatchObject({ success: true })
})

test.for(versions)('takes overrides of gas and fees, entry point %s', async (version) => {
  const operation = await minting(version)
  const was = (await sponsor(operation)).result as Fields
  const verificationGasLimit = numberToHex(BigInt(was.verificationGasLimit ?? '0x0') * 2n)
  const overrides = {
    maxFeePerGas: '0x77359400',
    maxPriorityFeePerGas: { multiplier: 1.15 },
    callGasLimit: { multiplier: 1.5 },
    verificationGasLimit,
    preVerificationGas: { multiplier: 1.0001 },
    ...(version === '0.7.0' && { paymasterVerificationGasLimit: { multiplier: 2 }, paymasterPostOpGasLimit: '0x0' }),
  }
  const filled = (await sponsor(operation, { overrides })).result as Fields
  const up = (name: string, by: bigint, of: bigint) => (BigInt(was[name] ?? '0x0') * by + of - 1n) / of
  expect(filled).toMatchObject({ maxFeePerGas: '0x77359400', verificationGasLimit })
  expect(BigInt(filled.maxPriorityFeePerGas ?? '0x0')).toBe(up('maxPriorityFeePerGas', 115n, 100n))
  expect(BigInt(filled.callGasLimit ?? '0x0')).toBe(up('callGasLimit', 15n, 10n))
  expect(BigInt(filled.preVerificationGas ?? '0x0')).toBe(up('preVerificationGas', 10_001n, 10_000n))
  if (version === '0.7.0')
    expect(BigInt(filled.paymasterVerificationGasLimit ?? '0x0')).toBe(up('paymasterVerificationGasLimit', 2n, 1n))
  const { hash, reply } = await signAndSend(gateway, operation, filled)
  expect(reply).toMatchObject({ result: hash })
})

test.for(versions)('signs for one operation and its limits alone, entry point %s', async (version) => {
  const operation = await minting(version)
  const filled = (await sponsor(operation)).result as Fields
  const other = await lightOperation(gateway, version, [{ to: demo, data: mint(operation.sender, '1000') }])
  const raised = { ...filled, callGasLimit: numberToHex(BigInt(filled.callGasLimit ?? 0) + 1n) }
  for (const [signed, fields] of [
    [{ ...operation, userOperation: { ...operation.userOperation, callData: other.userOperation.callData } }, filled],
    [operation, raised],
  ] as [LightOperation, Fields][])
    expect((await signAndSend(gateway, signed, fields)).reply.error).toMatchObject({
      message: expect.stringMatching(/AA34|signature/i),
    })
})

test('refuses unknown policies and entry points, and malformed values', async () => {
  const operation = await minting('0.7.0')
  const { userOperation } = operation
  const { factoryData, ...halfMade } = userOperation
  const cases: [object, string, string][] = [
    [{ policyId: 'theirs' }, 'POLICY_NOT_FOUND', 'theirs'],
    [{ entryPoint: demo }, 'ENTRY_POINT_NOT_FOUND', demo],
    [{ entryPoint: '0x12' }, 'REQUEST_INVALID', 'entryPoint'],
    [{ overrides: { maxFeePerGas: { multiplier: 1.00001 } } }, 'MULTIPLIER_INVALID', '4 decimals'],
    [{ overrides: { callGasLimit: `0x1${'0'.repeat(30)}` } }, 'REQUEST_INVALID', 'overrides.callGasLimit'],
    [{ dummySignature: '0xzz' }, 'REQUEST_INVALID', 'dummySignature'],
    [{ userOperation: { ...userOperation, nonce: '7' } }, 'REQUEST_INVALID', 'userOperation.nonce'],
    [{ userOperation: halfMade }, 'REQUEST_INVALID', 'factory and factoryData go together'],
  ]
  for (const [more, code, text] of cases) {
    const { error } = await sponsor(operation, more)
    expect(error).toMatchObject({ code: -32602, data: { code }, message: expect.stringContaining(text) })
  }
})
