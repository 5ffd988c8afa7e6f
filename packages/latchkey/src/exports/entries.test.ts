import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import * as accounts from './accounts.ts'
import * as chains from './chains.ts'
import * as index from './index.ts'
import * as react from './react.ts'
import * as signer from './signer.ts'

const entries = { index, accounts, chains, react, signer }
const names: Record<string, string> = {
  index: `
    AbortedError AccountDeletingError AccountUnprovenError ActivityFailedError BaseError BundleInjectionError
    ChunkFailedError ClientOnlyError ContractRevertedError CustodyError EmailInitSessionMissingError EmailNeededError
    EndpointsChangedError ExportInjectionError FrameDeclinedError HttpError ImportInjectionError LinkExpiredError MfaRequiredError
    NoOrgIdError NoUserFoundError NotAuthenticatedError PasskeyCancelledError PasskeyExistsError PasskeyFailedError
    PasskeyTimeoutError PasskeyTransportUnknownError PasskeyUnsupportedError ProviderRpcError ResponseInvalidError SealRefusedError
    RpcError SupersededError UserOperationRefusedError UserOperationRevertedError WaitForUserOperationError
    WalletNotFoundError alchemyEndpoints announceProvider buildUserOperation buildUserOperationFromTx
    buildUserOperationFromTxs bundlerMethods checkGasSponsorshipEligibility cookieStorage cookieToInitialState
    createAccount createBundlerClient createConfig createOperationContext createProvider createSmartAccountClient
    disconnect dismissOperation dropAndReplaceUserOperation erc7677Middleware estimateUserOperationGas getAccount
    getBundlerClient getChain getProvider getSigner getSignerStatus getSmartAccountClient getUser
    getUserOperationByHash getUserOperationReceipt hydrate indexedDbOutbox latchkeyDevnet latchkeyEndpoints
    lightAccountActions listOperations memoryOutbox memoryStorage modularAccountActions multiOwnerLightAccountActions
    parseInitialState reconnect resumeOperations rpcTransport sendTransactions sendUserOperation
    serializeInitialState setChain signUserOperation simulateUserOperation split waitForUserOperationTransaction
    watchAccount watchBundlerClient watchChain watchOperation watchOperations watchSigner watchSignerStatus
    watchSmartAccountClient watchUser
  `,
  accounts: `
    BaseError ContractRevertedError HttpError RpcError SessionKeyPermissionsBuilder SessionKeySigner accountLoupeActions
    addOwner addSessionKey buildSessionKeysToRemoveStruct decodeFunctionReference decodeRevert describeAccount
    encodeExecuteWithSessionKey encodeFunctionReference encodeInstallPlugin encodeInstallValidation encodeManifest
    encodeUninstallPlugin encodeUninstallValidation executeWithSessionKey getAccountSessionKeys getExecutionData
    getExecutionFunctionConfig getExecutionHooks getFallbackSigner getInstalledPlugins getLightAccountVersion
    getMSCAUpgradeToData getPluginAddress getPluginManifest getPluginMetadata getPreValidationHooks getSenderAddress
    getSessionKeyPermissions getValidationData grantPermissions hashManifest installMultiOwnerPlugin installPlugin
    installSessionKeyPlugin installValidation isAccountSessionKey isOwnerOf lightAccountActions listValidations
    modularAccountActions modularAccountV2Actions modularAccountV2Modules multiOwnerLightAccountActions
    multiOwnerPluginActions ownersOf pluginManagerActions predictLightAccountAddress predictModularAccountAddress
    predictModularAccountV2Address predictMultiOwnerLightAccountAddress readAccountDescriptor readAccountOwners
    readEip712Domain readIsValidSignature readOwner readOwners removeOwner removeSessionKey revokePermissions
    rotateOwner rotateSessionKey sessionKeyAccessListType sessionKeyPluginActions toDeferredActionTypedData
    toLightAccount toModularAccount toModularAccountV2 toMultiOwnerLightAccount toPasskeyOwner toPermissionsContext
    toSimple7702Account transferOwnership undelegate uninstallPlugin uninstallValidation updateOwners updatePluginOwners
    updateSessionKeyPermissions upgradeAccount upgradeToModularAccountV2 withOwner
  `,
  chains: `
    arbitrum arbitrumGoerli arbitrumSepolia base baseGoerli baseSepolia defineLatchkeyChain defineLatchkeyDevChain
    fraxtal fraxtalSepolia getEntryPointAddress getLightAccountContracts getMultiOwnerLightAccountContracts
    getPaymasterAddress getRpcUrl goerli latchkeyDev latchkeyDevChain mainnet optimism optimismGoerli
    optimismSepolia polygon polygonAmoy polygonMumbai retiredChainIds retiredChains sepolia supportedChainIds
    supportedChains zora zoraSepolia
  `,
  react: `
    AlchemyAccountProvider AuthCard LatchkeyProvider useAccessToken useAccount useAddPasskey useAuthMethods useAuthModal
    useAuthenticate useBundlerClient useChain useClientActions useConfirmation useConnectedProviders useDeletion
    useDropAndReplaceUserOperation useExportAccount useImportAccount useLogout useMFA useOperation useOperations useOwners
    useSendCalls useSendTransaction useSendTransactions useSendUserOperation useSession useSignMessage
    useSignTypedData useSigner useSignerStatus useSimulation useSmartAccountClient useSpendingRules useUser
    useWaitForUserOperationTransaction
  `,
  signer: `
    AbortedError AccountDeletingError AccountUnprovenError ActivityFailedError BaseError BundleInjectionError
    ClientOnlyError CustodyError EmailInitSessionMissingError EmailNeededError EndpointsChangedError ExportInjectionError
    FrameDeclinedError HttpError ImportInjectionError LinkExpiredError MfaRequiredError NoOrgIdError NoUserFoundError
    NotAuthenticatedError PasskeyCancelledError PasskeyExistsError PasskeyFailedError PasskeyTimeoutError
    PasskeyTransportUnknownError PasskeyUnsupportedError ResponseInvalidError SealRefusedError SupersededError WalletNotFoundError
    alchemyEndpoints createSigner latchkeyEndpoints memoryStorage webPlatform
  `,
}

afterEach(() => {
  vi.unstubAllGlobals()
})

test.each(Object.entries(entries))('exports the documented names of %s', (entry, exported) => {
  expect(Object.keys(exported).sort()).toEqual(names[entry]?.trim().split(/\s+/).sort())
})

test('exports every error class from the main entry', () => {
  const sources = new URL('../', import.meta.url)
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
  const classes = files.flatMap((path) =>
    [...readFileSync(new URL(path, sources), 'utf8').matchAll(/^export class (\w+Error) extends/gm)].map(
      ([, name]) => name,
    ),
  )
  expect(classes).toContain('RpcError')
  expect(Object.keys(index)).toEqual(expect.arrayContaining(classes))
})

test('imports every subpath in a runtime without a page’s globals', async () => {
  const globals = [
    'BroadcastChannel',
    'CustomEvent',
    'DOMException',
    'MessageChannel',
    'crypto',
    'navigator',
    'performance',
  ]
  for (const name of globals) vi.stubGlobal(name, undefined)
  vi.resetModules()
  const paths = readdirSync(new URL('.', import.meta.url)).filter((path) => /^\w+\.ts$/.test(path))
  expect(paths).toHaveLength(11)
  for (const path of paths) await expect(import(`./${path}`), path).resolves.toBeDefined()
})
