import { newKey } from '@latchkey/testkit/accounts/setChain'
import { isOfText, walletErrors } from '@latchkey/testkit/publishedErrors'
import { localSigner } from '@latchkey/testkit/wallet/localSigner'
import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import { type RecordedClientOptions, recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import { type RpcCall, startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
import { renderToString } from 'react-dom/server'
import { type Chain, createClient, http, pad, publicActions } from 'viem'
import { sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { followSigner } from '../wallet/actions/session.ts'
import * as accounts from './accounts.ts'
import * as chains from './chains.ts'
import * as compat from './compat.ts'
import * as wallet from './index.ts'
import { LatchkeyProvider, useAccount, useClientActions, useSendUserOperation } from './react.ts'

// `signer/errors/catalogue.service.test.ts` covers the signer's errors. docs/design/errors-left-out.md lists the errors
// without a test.

const elsewhere = { ...sepolia, id: 424_242, name: 'Elsewhere' } as const satisfies Chain
const target = '0x000000000000000000000000000000000000dEaD'
const uo = { target, data: '0x' } as const
const rpcUrl = 'http://127.0.0.1:9'

async function serve(results: Record<string, unknown> = {}, chain: Chain = sepolia) {
  const defaults: Record<string, unknown> = { eth_call: '0x', eth_getCode: '0x', eth_getStorageAt: pad('0x') }
  const server = await startRpcServer(({ method }: RpcCall) => ({
    result: { ...defaults, ...results }[method] ?? null,
  }))
  return createClient({ chain, transport: http(server.url, { retryCount: 0 }) }).extend(publicActions)
}

async function record(results: Record<string, unknown> = {}, options: RecordedClientOptions = {}) {
  const reply = ({ method }: RpcCall) => (method in results ? { result: results[method] } : undefined)
  const { client } = await recordedClient({ reply, ...options })
  return client
}

async function light(
  options: { results?: Record<string, unknown>; chain?: Chain; version?: 'v1.0.2' | 'v1.1.0' } = {},
) {
  const client = await serve(options.results, options.chain)
  return accounts.toLightAccount({ client, owner: newKey(), version: options.version ?? 'v1.1.0' })
}

function config(options: Partial<Parameters<typeof wallet.createConfig>[0]> = {}) {
  const common = { chain: chains.latchkeyDev, apiKey: 'key', platform: memoryPlatform(), ...options }
  return wallet.createConfig(common as Parameters<typeof wallet.createConfig>[0])
}

/** Renders a hook and returns its error or its result. */
async function render(use: () => unknown, isInside = true): Promise<unknown> {
  let result: unknown
  const probe = (
    <Probe
      use={() => {
        result = use()
      }}
    />
  )
  renderToString(isInside ? <LatchkeyProvider config={config({ ssr: true })}>{probe}</LatchkeyProvider> : probe)
  return result
}

function Probe({ use }: { use: () => unknown }) {
  use()
  return null
}

const fee = (min: bigint, max: bigint) => ({ feeOptions: { maxFeePerGas: { min, max } } })
const quick = { txMaxRetries: 1, txRetryIntervalMs: 1, txWatchIntervalMs: 0 }
const foreign = { eth_getCode: '0x60', eth_getStorageAt: pad(target) }
const noClear =
  "clearing cookies is not supported as this could lead to unexpected behaviour.\n Use removeItem instead or you can manually clear cookies with document.cookie = ''"

/** Cases: error text, code, and a call that causes the error. */
const catalogue: (readonly [text: string, code: string, meet: () => unknown])[] = []
const add = (...row: (typeof catalogue)[number]) => void catalogue.push(row)

add('Could not find an Account to execute with this Action.', 'ACCOUNT_NOT_FOUND', () =>
  wallet.createSmartAccountClient({ account: undefined as never, chain: sepolia, rpcUrl }),
)
add(
  'No default factory for LightAccount found on chain Elsewhere for entrypoint version 0.6.0\nSupply an override via the `factoryAddress` parameter when creating an account',
  'FACTORY_NOT_FOUND',
  async () => {
    const entryPoint = { address: chains.getEntryPointAddress({ chain: sepolia }) }
    const client = await serve({}, elsewhere)
    return accounts.toLightAccount({ client, owner: newKey(), entryPoint })
  },
)
add('getCounterFactualAddress failed', 'COUNTERFACTUAL_ADDRESS_FAILED', async () =>
  accounts.getSenderAddress({
    client: await serve({ eth_call: '0x' }),
    entryPoint: chains.getEntryPointAddress({ chain: sepolia }),
    initCode: target,
  }),
)
add('Upgrades are not supported by MultiOwnerModularAccount', 'UPGRADE_UNSUPPORTED', async () => {
  const account = await accounts.toModularAccount({
    client: await serve(),
    owner: newKey(),
    accountAddress: target,
  })
  return account.encodeUpgradeToAndCall({ upgradeToAddress: target, upgradeToInitData: '0x' })
})
add('SignTransaction is not supported by smart contracts', 'TRANSACTION_SIGNING_UNSUPPORTED', async () =>
  (await light()).signTransaction(),
)
add(
  'Failed to get storage slot 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc (Proxy Implementation Address)',
  'STORAGE_SLOT_FAILED',
  async () => (await light({ results: { eth_getCode: '0x60', eth_getStorageAt: null } })).getImplementationAddress(),
)
add(
  'Client of type (bundlerClient) is not a SmartAccountClient.\nCreate one with `createSmartAccountClient` first before using `transferOwnership`',
  'CLIENT_INCOMPATIBLE',
  async () => {
    const plain = wallet.createBundlerClient({ chain: sepolia, connection: { rpcUrl } })
    return accounts.transferOwnership(plain as never, { newOwner: newKey() })
  },
)
add('Invalid RPC URL', 'RPC_URL_INVALID', async () => {
  const client = createClient({ chain: sepolia, transport: http('nowhere', { retryCount: 0 }) })
  return accounts.toLightAccount({ client, owner: newKey(), factoryAddress: target })
})
add('No chain supplied to the client', 'CHAIN_NOT_FOUND', () =>
  createClient({ transport: wallet.rpcTransport({ apiKey: 'key' }) }),
)
add('No chain supplied to the client', 'CHAIN_NOT_FOUND', () =>
  accounts.toLightAccount({ client: createClient({ transport: http(rpcUrl) }) as never, owner: newKey() }),
)
add('No default entry point v0.7.0 exists for Elsewhere.\nSupply an override.', 'ENTRY_POINT_NOT_FOUND', () =>
  chains.getEntryPointAddress({ chain: elsewhere, version: '0.7.0' }),
)
add('Invalid entry point: unexpected version 0.5.0 for Sepolia.', 'ENTRY_POINT_NOT_FOUND', async () =>
  accounts.toLightAccount({ client: await serve(), owner: newKey(), entryPoint: { version: '0.5.0' as '0.6.0' } }),
)
add(
  'Invalid signer type parameter passed to SmartAccountSigner.\nA signerType must be provided.',
  'ARGUMENT_INVALID',
  () => new compat.WalletClientSigner(createClient({ account: newKey(), transport: http(rpcUrl) }) as never, ''),
)
add('Transaction is missing `to` address set on request', 'USER_OPERATION_INVALID', async () =>
  (await record()).sendTransaction({ data: '0x' } as never),
)
add(`Failed to find transaction for user operation ${pad('0x1')}`, 'USER_OPERATION_TIMEOUT', async () =>
  (await record({}, { opts: quick })).waitForUserOperationTransaction({ hash: pad('0x1') }),
)
add(
  'Request is missing parameters. All properties on UserOperationStruct must be set. uo: ',
  'USER_OPERATION_INVALID',
  async () => (await record()).signUserOperation({ uoStruct: { sender: target } as never }),
)
add(
  'Failed to find User Operation: Failed to find transaction for user operation',
  'USER_OPERATION_TIMEOUT',
  async () => (await record({}, { opts: quick })).sendTransaction({ to: target }),
)
add('A method cannot be handled by more than one transport', 'CONFIG_INVALID', () => {
  const one = { methods: ['eth_chainId'], transport: http(rpcUrl) }
  return wallet.split({ overrides: [one, one], fallback: http(rpcUrl) })
})
add('cannot sign for address that is not the current account', '4100', async () => {
  const provider = wallet.createProvider({ client: await record() })
  return provider.request({ method: 'personal_sign', params: ['0x00', target] })
})
add('could not find chain', 'CHAIN_NOT_FOUND', () => compat.getChain(424_242))
add('invalid range: upper bound 1 is less than lower bound 2', 'FEE_RANGE_INVALID', async () =>
  (await record({}, { opts: fee(2n, 1n) })).buildUserOperation({ uo }),
)
add('bigIntMultiply requires a multiplier validated number as the second argument', 'MULTIPLIER_INVALID', async () =>
  (await record()).buildUserOperation({ uo, overrides: { callGasLimit: { multiplier: 1.23456 } } }),
)
add("LightAccount v1.0.2 doesn't support 1271", 'SIGNATURE_UNSUPPORTED', async () =>
  (await light({ version: 'v1.0.2' })).signMessage({ message: 'tea' }),
)
add('Unknown version v3 of LightAccount', 'VERSION_UNKNOWN', async () =>
  accounts.toLightAccount({ client: await serve(), owner: newKey(), version: 'v3' as 'v1.1.0' }),
)
add('could not determine if smart account implementation is LightAccount v1.1.0', 'IMPLEMENTATION_UNKNOWN', async () =>
  (await light({ results: foreign })).encodeUpgradeToAndCall({ upgradeToAddress: target, upgradeToInitData: '0x' }),
)
add('Could not determine LightAccount version for chain 11155111', 'IMPLEMENTATION_UNKNOWN', async () =>
  accounts.getLightAccountVersion({ account: await light({ results: foreign }) }),
)
add('could not get on-chain owner', 'OWNER_NOT_FOUND', async () =>
  accounts.readOwner(await serve(), { address: target }),
)
add('could not get on-chain owners', 'OWNER_NOT_FOUND', async () =>
  accounts.readOwners(await serve(), { address: target }),
)
add('on-chain owners does not include the current signer', 'OWNER_NOT_FOUND', async () => {
  // ABI encoding of an empty address array.
  const client = await serve({ eth_getCode: '0x60', eth_call: `0x${'20'.padStart(64, '0')}${'0'.repeat(64)}` })
  const account = await accounts.toMultiOwnerLightAccount({ client, owner: newKey(), accountAddress: target })
  return account.getOwnerAddresses()
})
add('could not get multi owner plugin address', 'PLUGIN_NOT_FOUND', async () => {
  const account = await light()
  return accounts.getMSCAUpgradeToData(await serve({}, elsewhere), { account })
})
add('missing MultiOwnerPlugin address for chain Elsewhere', 'PLUGIN_NOT_FOUND', () =>
  accounts.getPluginAddress({ name: 'MultiOwnerPlugin', chain: elsewhere }),
)
add('missing SessionKeyPlugin address for chain Elsewhere', 'PLUGIN_NOT_FOUND', () =>
  accounts.getPluginAddress({ name: 'SessionKeyPlugin', chain: elsewhere }),
)
add('account is only available on the client', 'CLIENT_ONLY', () =>
  wallet.createAccount({ type: 'LightAccount' }, config({ ssr: true, platform: undefined })),
)
add('Chain not found in connections', 'CHAIN_NOT_FOUND', () => wallet.setChain(config(), sepolia))
add('Chain not found in connections', 'CHAIN_NOT_FOUND', () => {
  const connections = [{ chain: sepolia, apiKey: 'key' }]
  return wallet.createConfig({ chain: chains.latchkeyDev, connections, signerConnection: { apiKey: 'key' } })
})
add('Signer not connected', 'SIGNER_NOT_CONNECTED', () => wallet.createAccount({ type: 'LightAccount' }, config()))
add('Unsupported account type', 'UNSUPPORTED_ACCOUNT_TYPE', () => {
  const [made, person] = [config(), localSigner()]
  made.clientStore.setState({ signer: person.signer })
  followSigner(made, person.signer)
  person.signIn()
  return wallet.createAccount({ type: 'SimpleAccount' as 'LightAccount' }, made)
})
add(
  'chain must include an alchemy rpc url. See `defineLatchkeyChain`, or give the connection an `rpcUrl`.',
  'RPC_URL_INVALID',
  () => wallet.createBundlerClient({ chain: elsewhere, connection: { apiKey: 'key' } }).getBlockNumber(),
)
add('baseFeePerGas is null', 'BASE_FEE_MISSING', async () =>
  (await record({ eth_getBlockByNumber: { baseFeePerGas: null } })).buildUserOperation({ uo }),
)
add('Unsupported chain: Elsewhere (424242)', 'CHAIN_UNSUPPORTED', () =>
  chains.getPaymasterAddress({ chain: elsewhere, entryPointVersion: '0.6.0' }),
)
add('It would revert.', 'CONTRACT_REVERTED', async () => {
  const failing = {
    alchemy_simulateUserOperationAssetChanges: { changes: [], error: { message: 'It would revert.' } },
  }
  return (await record(failing, { useSimulation: true })).sendUserOperation({ uo })
})
add('useAccount must be used within LatchkeyProvider', 'PROVIDER_MISSING', () =>
  render(() => useAccount({ type: 'LightAccount' }), false),
)
add('client must be defined in useSendUserOperation', 'CLIENT_MISSING', () =>
  render(() => useSendUserOperation({ client: undefined }).sendUserOperationAsync({ uo })),
)
add('client must be defined in useClientActions', 'CLIENT_MISSING', () => {
  const actions = () => ({ act: () => 1 })
  return render(() =>
    useClientActions({ client: undefined, actions }).executeActionAsync({ functionName: 'act', args: [] }),
  )
})
add(noClear, 'STORAGE_FAILED', () => wallet.cookieStorage().clear())
add('Function not implemented.', 'STORAGE_FAILED', () => wallet.cookieStorage().key(0))

/** Error texts whose short message differs from their first line. */
const sentences: Record<string, string | undefined> = {
  'Request is missing parameters. All properties on UserOperationStruct must be set. uo: ':
    'Request is missing parameters. All properties on UserOperationStruct must be set.',
  'Failed to find User Operation: Failed to find transaction for user operation': `Failed to find User Operation: Failed to find transaction for user operation ${pad('0x')}`,
  [noClear]: noClear,
  'cannot sign for address that is not the current account': undefined,
}
const messages: string[] = []

test.each(catalogue)('throws “%s”', async (text, code, meet) => {
  const error = await Promise.resolve()
    .then(meet)
    .then(
      (value) => value,
      (cause: unknown) => cause,
    )
  expect(error).toBeInstanceOf(Error)
  const { message, code: own, shortMessage } = error as wallet.BaseError
  messages.push(message)
  expect(shortMessage).toBe(text in sentences ? sentences[text] : text.split('\n')[0])
  expect([message.replace(/\n+/g, '\n').slice(0, text.length), String(own)]).toEqual([text, code])
})

test.each(walletErrors.map((text) => [text[0], text] as const))('covers the published error %s', (_, text) => {
  expect(messages.some((message) => isOfText(message, text))).toBe(true)
})
