import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { demo, mint } from '@latchkey/testkit/demoToken'
import { encodeCalls } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import {
  getMSCAUpgradeToData,
  getPluginAddress,
  type LatchkeyAccount,
  lightAccountActions,
  modularAccountActions,
  SessionKeyPermissionsBuilder,
  sessionKeyPluginActions,
  toLightAccount,
  toModularAccount,
  toModularAccountV2,
  toMultiOwnerLightAccount,
} from 'latchkey/accounts'
import { accountFactories } from 'latchkey-protocol'
import { type Address, type Hex, http, padHex, zeroHash } from 'viem'
import { type BundlerClientConfig, createPaymasterClient, entryPoint06Abi } from 'viem/account-abstraction'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { upsertPolicy } from '../../store/ledger/policies.ts'

const { entryPoints, simpleAccountFactories } = devAddresses
const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
/**
 * Account code that accepts every operation and ignores its call data: validation returns 0, and every other call
 * stores 1 in slot 0.
 */
const lyingCode: Hex = '0x5f3560e01c80633a871cdd14601d576319822f7c14601d5760015f55005b60205ff3'

const stage = setChain()
let gateway: TestGateway
let url: string
let closeServer: () => Promise<void>
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
  const server = await gateway.serve()
  url = server.url
  closeServer = server.close
  const { lightAccount, multiOwnerLightAccount, modularAccount } = devAddresses
  const factories = [
    ...[...Object.values(lightAccount), multiOwnerLightAccount['v2.0.0'], modularAccount].map(({ factory }) => factory),
    accountFactories['MAv2.0.0-sma-b'],
  ]
  const targets = [{ address: demo, selectors: [mint(demo, 1n).data.slice(0, 10)] }]
  for (const [id, rules] of Object.entries({
    targets: { targets },
    factories: { factories },
    light: { factories: [lightAccount['v2.0.0'].factory] },
    open: {},
  }))
    await upsertPolicy(gateway.db, { projectId: 'app', id, rules })
})
afterAll(async () => {
  await closeServer?.()
  await gateway?.close()
})

function paying(policyId: string): Pick<BundlerClientConfig, 'paymaster'> {
  const client = createPaymasterClient({ transport: http(url, { retryCount: 0 }) })
  const context = { policyId }
  return {
    paymaster: {
      getPaymasterData: (parameters) => client.getPaymasterData({ ...parameters, context }),
      getPaymasterStubData: (parameters) => client.getPaymasterStubData({ ...parameters, context }),
    },
  }
}

async function mintSponsored(account: LatchkeyAccount, policyId: string): Promise<void> {
  const before = await stage.balanceOf(account.address)
  const bundler = stage.createBundler(account, paying(policyId))
  const hash = await bundler.sendUserOperation({ calls: [mint(account.address, 1n)] })
  expect(await bundler.waitForUserOperationReceipt({ hash })).toMatchObject({ success: true })
  expect(await stage.balanceOf(account.address)).toBe(before + 1n)
}

async function request(
  sender: Address,
  policyId: string,
  more: object = {},
  entryPoint: Address = entryPoints['0.6.0'],
) {
  const callData = encodeCalls([mint(sender, 1n)])
  const signature = `0x${'00'.repeat(65)}`
  const userOperation = { sender, nonce: '0x0', callData, signature, ...more }
  const id = `0x${gateway.chainId.toString(16)}`
  const preview = await gateway.ask('pm_getPaymasterStubData', [userOperation, entryPoint, id, { policyId }])
  const signed = await gateway.ask('alchemy_requestGasAndPaymasterAndData', [
    { policyId, entryPoint, userOperation, dummySignature: signature, overrides: {} },
  ])
  expect(preview.error?.message).toBe(signed.error?.message)
  return { ...signed, userOperation }
}

const refusal = (rule: string, text: string) => ({
  code: -32501,
  data: expect.objectContaining({ code: 'POLICY_REFUSED', rule }),
  message: expect.stringContaining(text),
})

const store = (address: Address, slot: Hex, value: Hex) =>
  gateway.request('anvil_setStorageAt', [address, slot, padHex(value, { size: 32 })])

const accounts: [name: string, create: (owner: ReturnType<typeof newKey>) => Promise<LatchkeyAccount>][] = [
  ...(['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const).map((version): (typeof accounts)[number] => [
    `LightAccount ${version}`,
    (owner) => toLightAccount({ client: stage.reader, owner, version }),
  ]),
  ['MultiOwnerLightAccount', (owner) => toMultiOwnerLightAccount({ client: stage.reader, owner })],
  ['MultiOwnerModularAccount', (owner) => toModularAccount({ client: stage.reader, owner })],
  ['ModularAccountV2', (owner) => toModularAccountV2({ client: stage.reader, owner })],
]

test.each(accounts)(
  'sponsors %s under targets and factories before and after its deployment',
  async (_name, create) => {
    const account = await create(newKey())
    for (const policyId of ['targets', 'targets', 'factories']) await mintSponsored(account, policyId)
  },
)

test.each(['0.6.0', '0.7.0'] as const)(
  "refuses an account of the attacker's code that ignores its call data, entry point %s",
  async (version) => {
    const sender = newKey().address
    await gateway.request('anvil_setCode', [sender, lyingCode])
    const text = (rule: string) => `its ${rule} can only be checked for LightAccount, MultiOwnerLightAccount`
    for (const rule of ['targets', 'factories'])
      expect((await request(sender, rule, {}, entryPoints[version])).error).toMatchObject(refusal(rule, text(rule)))
    // Another policy sponsors the operation although its call is not the listed one.
    const { result, userOperation } = await request(sender, 'open', {}, entryPoints[version])
    const operation = { ...userOperation, ...(version === '0.6.0' && { initCode: '0x' }), ...Object(result) }
    const sent = await gateway.ask('eth_sendUserOperation', [operation, entryPoints[version]])
    expect(sent.error).toBeUndefined()
    expect(await gateway.waitForReceipt(sent.result as Hex)).toMatchObject({ success: true })
    expect(await stage.balanceOf(sender)).toBe(0n)
    expect(await stage.reader.getStorageAt({ address: sender, slot: '0x0' })).toBe(padHex('0x1'))
  },
)

test('refuses a known proxy with an implementation of its own', async () => {
  const account = await toLightAccount({ client: stage.reader, owner: newKey() })
  await mintSponsored(account, 'targets')
  const implementation = newKey().address
  await gateway.request('anvil_setCode', [implementation, lyingCode])
  await store(account.address, implementationSlot, implementation)
  const text = `${account.address.toLowerCase()} has the implementation ${implementation.toLowerCase()}`
  for (const rule of ['targets', 'factories'])
    expect((await request(account.address, rule, { nonce: '0x1' })).error).toMatchObject(refusal(rule, text))
})

test('refuses known code with known storage at an EIP-7702 account, and a sender without code', async () => {
  const { address: sender } = newKey()
  const { 'v2.0.0': light } = devAddresses.lightAccount
  await gateway.request('anvil_setCode', [sender, `0xef0100${light.implementation.slice(2)}`])
  await store(sender, implementationSlot, light.implementation)
  expect((await request(sender, 'targets', {}, entryPoints['0.7.0'])).error).toMatchObject(
    refusal('targets', `the code of ${sender.toLowerCase()} is that of none`),
  )
  expect((await request(newKey().address, 'targets')).error).toMatchObject(refusal('targets', 'is not deployed'))
})

test('refuses an unknown factory under targets, whatever factories lists', async () => {
  const factory = simpleAccountFactories['0.6.0']
  const rules = { targets: [{ address: demo }], factories: [factory] }
  await upsertPolicy(gateway.db, { projectId: 'app', id: 'simple', rules })
  expect((await request(newKey().address, 'simple', { initCode: factory })).error).toMatchObject(
    refusal('targets', `the factory ${factory} deploys none of them`),
  )
})

test('refuses a deployed account with a proxy that no listed factory deploys', async () => {
  const [v2, v1] = await Promise.all(
    (['v2.0.0', 'v1.1.0'] as const).map((version) =>
      toLightAccount({ client: stage.reader, owner: newKey(), version }),
    ),
  )
  if (!v2 || !v1) throw new TypeError('two accounts')
  for (const account of [v2, v1]) await mintSponsored(account, 'open')
  await mintSponsored(v2, 'light')
  expect((await request(v1.address, 'light', { nonce: '0x1' })).error).toMatchObject(
    refusal('factories', 'no listed factory'),
  )
})

test('sponsors a light account that became a modular one', async () => {
  const light = await toLightAccount({ client: stage.reader, owner: newKey() })
  await mintSponsored(light, 'targets')
  const { implAddress, initializationData, createMAAccount } = await getMSCAUpgradeToData(stage.reader, {
    account: light,
  })
  const client = stage.createBundler(light, paying('open')).extend(lightAccountActions)
  await client.upgradeAccount({ upgradeTo: { implAddress, initializationData }, waitForTx: true })
  await mintSponsored(await createMAAccount(), 'targets')
})

test('sponsors session keys, and refuses an account with an unknown plugin', async () => {
  const [owner, key] = [newKey(), newKey()]
  const account = await toModularAccount({ client: stage.reader, owner })
  const bundler = stage.createBundler(account, paying('open'))
  const client = bundler.extend(modularAccountActions).extend(sessionKeyPluginActions)
  const permissions = new SessionKeyPermissionsBuilder().addContractAddressAccessEntry({
    contractAddress: demo,
    isOnList: true,
    checkSelectors: false,
  })
  await client.installSessionKeyPlugin({
    args: [[key.address], [zeroHash], [permissions.encode()]],
    waitForTxn: true,
  })
  const session = await toModularAccount({ client: stage.reader, owner: key, accountAddress: account.address })
  const actions = stage.createBundler(session, paying('targets')).extend(sessionKeyPluginActions)
  const { data } = mint(account.address, 5n)
  await actions.executeWithSessionKey({ args: [[{ target: demo, data }], key.address], waitForTxn: true })
  expect(await stage.balanceOf(account.address)).toBe(5n)
  await expect(
    actions.executeWithSessionKey({ args: [[{ target: entryPoints['0.6.0'], data }], key.address] }),
  ).rejects.toThrow('are not listed')

  // A copy of the plugin at another address may contain any code.
  const copy = newKey().address
  const code = await stage.reader.getCode({ address: getPluginAddress({ name: 'SessionKeyPlugin' }) })
  await gateway.request('anvil_setCode', [copy, code])
  const other = await toModularAccount({ client: stage.reader, owner: newKey() })
  const installing = stage
    .createBundler(other, paying('open'))
    .extend(modularAccountActions)
    .extend(sessionKeyPluginActions)
  await installing.installSessionKeyPlugin({ pluginAddress: copy, waitForTxn: true })
  const nonce = await stage.reader.readContract({
    address: entryPoints['0.6.0'],
    abi: entryPoint06Abi,
    functionName: 'getNonce',
    args: [other.address, 0n],
  })
  expect((await request(other.address, 'targets', { nonce: `0x${nonce.toString(16)}` })).error).toMatchObject(
    refusal('targets', `the plugin ${copy} of the account`),
  )
  expect((await request(other.address, 'factories', { nonce: `0x${nonce.toString(16)}` })).error).toBeUndefined()
})
