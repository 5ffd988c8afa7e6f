import { checkLedger } from '@latchkey/testkit/gateway/checkLedger'
import { startTestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import {
  type Address,
  concatHex,
  createPublicClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseAbi,
} from 'viem'
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint07Abi,
  entryPoint09Abi,
  formatUserOperationRequest,
  getUserOperationHash,
  toCoinbaseSmartAccount,
  toPackedUserOperation,
  toSimple7702SmartAccount,
  toSmartAccount,
  toSoladySmartAccount,
  type UserOperation,
} from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { toModularAccountV2 } from '../../../latchkey/src/accounts/modularAccountV2/toModularAccountV2.ts'
import { upsertPolicy } from '../store/ledger/policies.ts'

/** viem's own clients and accounts of EIP-7702, unmodified, on the gateway. */

const { demo, entryPoints, modularAccountV2, paymasters, simple7702Accounts, simpleAccountFactories } = devAddresses
const abi = parseAbi(['function mint(address to, uint256 amount)'])
const mint = { to: demo, data: encodeFunctionData({ abi, functionName: 'mint', args: [demo, 1n] }) }
const versions = ['0.8', '0.9'] as const
type Version = (typeof versions)[number]
const payers = [paymasters['0.7.0'], paymasters['0.8.0'], paymasters['0.9.0']]
const each = test.each(versions)

// This file compares the ledger with all events of its chain, so it starts its own chain.
const gateway = await startTestGateway({ background: true })
const served = await gateway.serve()
afterAll(async () => {
  await served.close()
  await gateway.close()
})

async function connect(version: Version, policyId = 'default') {
  const chain = defineChain({
    id: gateway.chainId,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [gateway.node.nodeUrl] } },
  })
  const client = createPublicClient({ chain, transport: http(served.url) })
  const owner = privateKeyToAccount(generatePrivateKey())
  const account = await toSimple7702SmartAccount({ client, owner, entryPoint: version })
  const paymaster = createPaymasterClient({ transport: http(served.url) })
  const common = { account, client, transport: http(served.url), pollingInterval: 20 }
  const sponsored = createBundlerClient({ ...common, paymaster, paymasterContext: { policyId } })
  const paid = createBundlerClient({
    client,
    transport: http(served.url),
    pollingInterval: 20,
    paymaster,
    paymasterContext: { policyId },
  })
  const authorize = async (contractAddress: Address = simple7702Accounts[`${version}.0`]) =>
    owner.signAuthorization({ contractAddress, chainId: chain.id, nonce: await client.getTransactionCount(owner) })
  return { client, owner, account, sponsored, paid, selfPaid: createBundlerClient(common), authorize }
}

each('sponsors an account of EIP-7702 with and after its authorization, entry point %s', async (version) => {
  const { client, owner, sponsored, authorize } = await connect(version)
  for (const authorization of [await authorize(), undefined]) {
    const hash = await sponsored.sendUserOperation({ calls: [mint, mint], ...(authorization && { authorization }) })
    const receipt = await sponsored.waitForUserOperationReceipt({ hash, timeout: 100_000 })
    expect(receipt).toMatchObject({ success: true, paymaster: paymasters[`${version}.0`] })
  }
  const delegate = simple7702Accounts[`${version}.0`].toLowerCase()
  expect(await client.getCode(owner)).toBe(`0xef0100${delegate.slice(2)}`)
  await expect.poll(() => checkLedger(gateway, payers)).toEqual([])
})

test('sponsors an account of any contract on entry point 0.7, deployed by its first operation', async () => {
  const { client, owner, paid } = await connect('0.8')
  const abi = parseAbi([
    'function createAccount(address owner, uint256 salt) returns (address)',
    'function getAddress(address owner, uint256 salt) view returns (address)',
    'function execute(address target, uint256 value, bytes data)',
  ])
  const factory = simpleAccountFactories['0.7.0']
  const args = [owner.address, 0n] as const
  const account = await toSmartAccount({
    client,
    entryPoint: { abi: entryPoint07Abi, address: entryPoints['0.7.0'], version: '0.7' },
    getAddress: () => client.readContract({ address: factory, abi, functionName: 'getAddress', args }),
    getFactoryArgs: async () => ({
      factory,
      factoryData: encodeFunctionData({ abi, functionName: 'createAccount', args }),
    }),
    encodeCalls: async ([{ to, data = '0x' } = mint]) =>
      encodeFunctionData({ abi, functionName: 'execute', args: [to, 0n, data] }),
    getStubSignature: async () =>
      '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c',
    signMessage: (parameters) => owner.signMessage(parameters),
    signTypedData: (parameters) => owner.signTypedData(parameters as never),
    async signUserOperation({ chainId = gateway.chainId, ...given }) {
      const userOperation = { ...given, sender: given.sender ?? (await this.getAddress()), signature: '0x' as const }
      const place = { chainId, entryPointAddress: entryPoints['0.7.0'], entryPointVersion: '0.7' } as const
      return owner.signMessage({ message: { raw: getUserOperationHash({ ...place, userOperation }) } })
    },
  })
  for (let count = 0; count < 2; count++) {
    const hash = await paid.sendUserOperation({ account, calls: [mint] })
    const receipt = await paid.waitForUserOperationReceipt({ hash, timeout: 100_000 })
    expect(receipt).toMatchObject({ success: true, paymaster: paymasters['0.7.0'] })
  }
  await expect.poll(() => checkLedger(gateway, payers)).toEqual([])
})

test('sponsors a ModularAccountV2 at its owner’s own address on entry point 0.7', async () => {
  const { client, owner, paid } = await connect('0.8')
  const account = await toModularAccountV2({
    client,
    owner,
    mode: '7702',
    entryPoint: { address: entryPoints['0.7.0'] },
  })
  const contractAddress = modularAccountV2.semiModular7702
  const authorization = await owner.signAuthorization({ contractAddress, chainId: gateway.chainId, nonce: 0 })
  for (const more of [{ authorization }, {}]) {
    const hash = await paid.sendUserOperation({ account, calls: [mint, mint], ...more })
    const receipt = await paid.waitForUserOperationReceipt({ hash, timeout: 100_000 })
    expect(receipt).toMatchObject({ success: true, paymaster: paymasters['0.7.0'] })
  }
  await expect.poll(() => checkLedger(gateway, payers)).toEqual([])
})

each('includes an operation that the account pays for, entry point %s', async (version) => {
  const { owner, selfPaid, authorize } = await connect(version)
  await gateway.setBalance(owner.address, 10n ** 18n)
  const hash = await selfPaid.sendUserOperation({ calls: [mint], authorization: await authorize() })
  expect(await selfPaid.waitForUserOperationReceipt({ hash, timeout: 100_000 })).toMatchObject({ success: true })
})

each('refuses the account under a policy that names targets, entry point %s', async (version) => {
  const rules = { targets: [{ address: demo.toLowerCase() as Hex }] }
  await upsertPolicy(gateway.db, { projectId: 'app', id: `targets-${version}`, rules })
  const { sponsored, authorize } = await connect(version, `targets-${version}`)
  const sent = sponsored.sendUserOperation({ calls: [mint], authorization: await authorize() })
  await expect(sent).rejects.toThrow('targets')
})

test('refuses the factory 0x7702 on entry point 0.7, and elsewhere without an authorization', async () => {
  const { owner } = await connect('0.8')
  const userOperation = { sender: owner.address, nonce: '0x0', callData: '0x', factory: '0x7702', factoryData: '0x' }
  for (const [version, text] of [
    ['0.7.0', 'knows no factory 0x7702'],
    ['0.8.0', 'needs the account’s authorization'],
    ['0.9.0', 'needs the account’s authorization'],
  ] as const)
    expect(
      (await gateway.ask('pm_getPaymasterStubData', [userOperation, entryPoints[version], '0x7a69', {}])).error,
    ).toMatchObject({ data: { code: 'REQUEST_INVALID' }, message: expect.stringContaining(text) })
  for (const method of ['eth_estimateUserOperationGas', 'eth_sendUserOperation'])
    for (const factory of ['0x7702', '0x7702000000000000000000000000000000000000'])
      expect((await gateway.ask(method, [{ ...userOperation, factory }, entryPoints['0.7.0']])).error).toMatchObject({
        data: { code: 'REQUEST_INVALID' },
        message: expect.stringContaining('knows no factory 0x7702'),
      })
})

test('sponsors a delegated account on entry point 0.7, whose authorization goes without a factory', async () => {
  const { client, owner, authorize } = await connect('0.8')
  // This account code accepts each operation and does nothing: it returns 32 zero bytes.
  const contractAddress = privateKeyToAccount(generatePrivateKey()).address
  await gateway.request('anvil_setCode', [contractAddress, '0x5f5f5260205ff3'])
  const { yParity = 0, nonce, chainId, address, r, s } = await authorize(contractAddress)
  const eip7702Auth = {
    address,
    chainId: numberToHex(chainId),
    nonce: numberToHex(nonce),
    r,
    s,
    yParity: numberToHex(yParity),
  }
  const userOperation = { sender: owner.address, nonce: '0x0', callData: '0x', eip7702Auth }
  const entryPoint = entryPoints['0.7.0']
  const dummySignature = `0x${'00'.repeat(65)}`
  const { result, error } = await gateway.ask('alchemy_requestGasAndPaymasterAndData', [
    { policyId: 'default', entryPoint, dummySignature, userOperation },
  ])
  expect(error).toBeUndefined()
  const signed = { ...userOperation, ...(result as object), signature: dummySignature }
  const sent = await gateway.ask('eth_sendUserOperation', [signed, entryPoint])
  expect(sent.error).toBeUndefined()
  await expect.poll(() => client.getCode(owner)).toBe(`0xef0100${contractAddress.slice(2).toLowerCase()}`)
})

each('refuses an operation whose delegate changed after the signatures, entry point %s', async (version) => {
  const { client, owner, sponsored, authorize } = await connect(version)
  const authorization = await authorize()
  const prepared = await sponsored.prepareUserOperation({ calls: [mint], authorization })
  const signature = await sponsored.account.signUserOperation(prepared as never)
  // Places the same code at another address.
  const other = privateKeyToAccount(generatePrivateKey()).address
  await gateway.request('anvil_setCode', [other, await client.getCode({ address: authorization.address })])
  await gateway.request('anvil_setCode', [owner.address, concatHex(['0xef0100', other])])
  const { authorization: _, ...operation } = { ...prepared, signature }
  await expect(sponsored.sendUserOperation(operation as never)).rejects.toThrow(/AA24|AA34|signature/i)
})

test('refuses a paymaster signature whose stated length is not its own', async () => {
  const { client, owner, sponsored, authorize } = await connect('0.9')
  const prepared = await sponsored.prepareUserOperation({ calls: [mint], authorization: await authorize() })
  await gateway.request('anvil_setCode', [
    owner.address,
    concatHex(['0xef0100', simple7702Accounts['0.9.0'].toLowerCase() as Hex]),
  ])
  const signature = await sponsored.account.signUserOperation(prepared as never)
  const packed = toPackedUserOperation({ ...prepared, signature } as unknown as UserOperation)
  const bundler = privateKeyToAccount(generatePrivateKey()).address
  const initCode: Hex = '0x7702000000000000000000000000000000000000'
  const call = (paymasterAndData: Hex) =>
    client.simulateContract({
      address: entryPoints['0.9.0'],
      abi: entryPoint09Abi,
      functionName: 'handleOps',
      args: [[{ ...packed, initCode, paymasterAndData }], bundler],
      account: bundler,
    })
  const body = packed.paymasterAndData.slice(0, -20)
  await call(packed.paymasterAndData)
  for (const length of ['0000', '0040', '0042', 'ffff'])
    await expect(call(`${body}${length}22e325a297439656` as Hex), length).rejects.toThrow()
})

test('signs paymaster data that the user has signed already, for as long as the policy allows', async () => {
  const { sponsored, authorize } = await connect('0.9')
  const prepared = await sponsored.prepareUserOperation({ calls: [mint], authorization: await authorize() })
  const operation = formatUserOperationRequest(prepared as never)
  const sign = async (paymasterData: Hex) => {
    const params = [{ ...operation, paymasterData }, entryPoints['0.9.0'], numberToHex(gateway.chainId), {}]
    return (await gateway.ask('pm_getPaymasterData', params)).result as { paymasterData: Hex }
  }
  const now = Math.floor(Date.now() / 1_000)
  const validity = (validUntil: number, validAfter: number) =>
    concatHex([numberToHex(validUntil, { size: 6 }), numberToHex(validAfter, { size: 6 }), `0x${'00'.repeat(20)}`])
  const kept = [operation.paymasterData as Hex, validity(now + 500, now - 600)]
  for (const data of kept) expect((await sign(data)).paymasterData).toBe(data)
  const replaced = [
    validity(now + 100, now - 600),
    validity(now + 3_600, now - 600),
    validity(now + 500, now + 60),
    '0x',
  ]
  for (const data of replaced) expect((await sign(data as Hex)).paymasterData).not.toBe(data)
})

const foreignAbi = parseAbi([
  'function execute(bytes32 mode, bytes executionCalldata)',
  'function executeUserOp(address to, uint256 value, bytes data, uint8 operation)',
  'function executeWithoutChainIdValidation(bytes[] calls)',
])
const foreignCalls = {
  'Kernel (ERC-7579)': encodeFunctionData({
    abi: foreignAbi,
    functionName: 'execute',
    args: [`0x${'00'.repeat(32)}`, concatHex([demo, `0x${'00'.repeat(32)}`, mint.data])],
  }),
  Safe: encodeFunctionData({ abi: foreignAbi, functionName: 'executeUserOp', args: [demo, 0n, mint.data, 0] }),
  'Coinbase Smart Wallet': encodeFunctionData({
    abi: foreignAbi,
    functionName: 'executeWithoutChainIdValidation',
    args: [[mint.data]],
  }),
}

test.each(Object.entries(foreignCalls))(
  'refuses call data of %s under targets, and pays without them',
  async (_, callData) => {
    const rules = { targets: [{ address: demo.toLowerCase() as Hex }] }
    await upsertPolicy(gateway.db, { projectId: 'app', id: 'targets', rules })
    const userOperation = { sender: privateKeyToAccount(generatePrivateKey()).address, nonce: '0x0', callData }
    for (const version of ['0.7.0', '0.8.0', '0.9.0'] as const) {
      const ask = (policyId: string) =>
        gateway.ask('pm_getPaymasterStubData', [userOperation, entryPoints[version], '0x7a69', { policyId }])
      expect((await ask('targets')).error).toMatchObject({ data: { code: 'POLICY_REFUSED', rule: 'targets' } })
      expect((await ask('default')).result).toMatchObject({ paymaster: paymasters[version] })
    }
  },
)

test('refuses calls of viem’s Coinbase and Solady accounts under targets, and pays without them', async () => {
  const rules = { targets: [{ address: demo.toLowerCase() as Hex }] }
  await upsertPolicy(gateway.db, { projectId: 'app', id: 'targets', rules })
  const { client, owner } = await connect('0.8')
  const { address } = owner
  const coinbase = await toCoinbaseSmartAccount({ client, owners: [owner], address, version: '1.1' })
  const solady = await toSoladySmartAccount({ client, owner, address })
  for (const [account, version, more] of [
    [coinbase, '0.6.0', { initCode: '0x' }],
    [solady, '0.7.0', {}],
  ] as const)
    for (const calls of [[mint], [mint, mint]]) {
      const userOperation = { sender: address, nonce: '0x0', callData: await account.encodeCalls(calls), ...more }
      const ask = (policyId: string) =>
        gateway.ask('pm_getPaymasterStubData', [userOperation, entryPoints[version], '0x7a69', { policyId }])
      expect((await ask('targets')).error).toMatchObject({ data: { code: 'POLICY_REFUSED', rule: 'targets' } })
      expect((await ask('default')).result).toBeDefined()
    }
})
