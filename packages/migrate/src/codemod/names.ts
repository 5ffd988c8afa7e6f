// Names that an Account Kit app imports and their modules in Latchkey, as in `docs/guides/from-account-kit.md`.

const hooks = `
  AlchemyAccountProvider AuthCard useAccount useAddPasskey useAuthModal useAuthenticate useBundlerClient useChain
  useClientActions useDropAndReplaceUserOperation useExportAccount useLogout useSendTransaction
  useSendTransactions useSendUserOperation useSignMessage useSignTypedData useSigner useSignerStatus
  useSmartAccountClient useUser useWaitForUserOperationTransaction
`

const store = `
  cookieStorage cookieToInitialState createAccount createConfig getAccount getBundlerClient getSigner
  getSignerStatus getUser hydrate reconnect watchAccount watchBundlerClient watchSigner watchSignerStatus
  watchUser
`

const clients = `
  AlchemySigner AlchemySignerStatus alchemyGasManagerMiddleware createAlchemyPublicRpcClient
  createAlchemySmartAccountClient createAlchemySmartAccountClientFromExisting createLightAccountAlchemyClient
  createModularAccountAlchemyClient createMultiOwnerLightAccountAlchemyClient defineAlchemyChain
  getAlchemyPaymasterAddress
`

const accounts = `
  SessionKeyAccessListType SessionKeyPermissionsBuilder SessionKeySigner accountLoupeActions
  buildSessionKeysToRemoveStruct createLightAccount createMultiOwnerLightAccount createMultiOwnerModularAccount
  getMSCAUpgradeToData installPlugin lightAccountClientActions multiOwnerLightAccountClientActions
  multiOwnerPluginActions pluginManagerActions sessionKeyPluginActions transferLightAccountOwnership
  updateMultiOwnerLightAccountOwners
`

const core = `
  BaseError LocalAccountSigner WaitForUserOperationError WalletClientSigner createBundlerClient
  createBundlerClientFromExisting createSmartAccountClient createSmartAccountClientFromExisting split
`

const chains = `
  arbitrum arbitrumGoerli arbitrumSepolia base baseGoerli baseSepolia fraxtal fraxtalSepolia goerli mainnet
  optimism optimismGoerli optimismSepolia polygon polygonAmoy polygonMumbai sepolia zora zoraSepolia
`

const actions = `
  buildUserOperation buildUserOperationFromTx buildUserOperationFromTxs checkGasSponsorshipEligibility
  dropAndReplaceUserOperation sendTransactions sendUserOperation waitForUserOperationTransaction
`

const infra = `
  createAlchemySmartAccountClient createAlchemyPublicRpcClient defineAlchemyChain
  getAlchemyPaymasterAddress
`

const accountClients = `
  createLightAccountAlchemyClient createModularAccountAlchemyClient createMultiOwnerLightAccountAlchemyClient
  createModularAccountV2 createModularAccountV2Client
`

const signer = `
  AlchemySigner AlchemySignerStatus
`

const chainActions = `
  getChain setChain watchChain getSmartAccountClient watchSmartAccountClient disconnect
`

/** Modules of Latchkey that export names for apps. */
export type Entry = 'latchkey' | 'latchkey/chains' | 'latchkey/compat' | 'latchkey/react'

/** Names that stay the same, by Account Kit package, with their modules in Latchkey. */
export const movedNames: ReadonlyMap<string, ReadonlyMap<string, Entry>> = new Map([
  ['@alchemy/aa-alchemy', table([[clients, 'latchkey/compat']])],
  ['@alchemy/aa-alchemy/config', table([[store, 'latchkey']])],
  ['@alchemy/aa-alchemy/react', table([[hooks, 'latchkey/react']])],
  ['@alchemy/aa-accounts', table([[accounts, 'latchkey/compat']])],
  [
    '@alchemy/aa-core',
    table([
      [`${core} getChain`, 'latchkey/compat'],
      [chains, 'latchkey/chains'],
      [actions, 'latchkey'],
    ]),
  ],
  [
    '@account-kit/react',
    table([
      [`${hooks} useMFA useSendCalls`, 'latchkey/react'],
      [store, 'latchkey'],
    ]),
  ],
  ['@account-kit/core', table([[`${store} ${chainActions}`, 'latchkey']])],
  [
    '@account-kit/infra',
    table([
      [infra, 'latchkey/compat'],
      [chains, 'latchkey/chains'],
    ]),
  ],
  [
    '@account-kit/signer',
    table([
      [signer, 'latchkey/compat'],
      ['MfaRequiredError', 'latchkey'],
    ]),
  ],
  ['@account-kit/smart-contracts', table([[`${accounts} ${accountClients}`, 'latchkey/compat']])],
  [
    '@aa-sdk/core',
    table([
      [core, 'latchkey/compat'],
      [actions, 'latchkey'],
    ]),
  ],
])

function table(rows: readonly (readonly [names: string, entry: Entry])[]): ReadonlyMap<string, Entry> {
  return new Map(
    rows.flatMap(([names, entry]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, entry] as const),
    ),
  )
}

/** Names that change. The new import uses the old name as its alias. */
export const renamedNames: ReadonlyMap<string, { name: string; entry: Entry }> = new Map([
  ['AlchemyWebSigner', { name: 'AlchemySigner', entry: 'latchkey/compat' }],
  ['createModularAccount', { name: 'createMultiOwnerModularAccount', entry: 'latchkey/compat' }],
  ['ClientOnlyPropertyError', { name: 'ClientOnlyError', entry: 'latchkey' }],
  ['AlchemyAccountsUIConfig', { name: 'UiConfig', entry: 'latchkey/react' }],
  ['AlchemyAccountsConfig', { name: 'LatchkeyConfig', entry: 'latchkey' }],
  ['AlchemyClientState', { name: 'InitialState', entry: 'latchkey' }],
  ['SupportedAccountTypes', { name: 'AccountType', entry: 'latchkey' }],
  ['AlchemyAccountsConfigWithUI', { name: 'LatchkeyConfig', entry: 'latchkey' }],
  ['AlchemyTransport', { name: 'Connection', entry: 'latchkey' }],
  ['AuthType', { name: 'AuthOption', entry: 'latchkey/react' }],
])

/** Types that keep their names, whichever package exports them. */
export const movedTypes: ReadonlyMap<string, Entry | 'latchkey/signer' | 'latchkey/accounts'> = new Map([
  ...[
    'AlchemyGasManagerConfig',
    'AlchemySignerParams',
    'AlchemySmartAccountClientConfig',
    'CreateLightAccountParams',
    'CreateMultiOwnerLightAccountParams',
    'CreateMultiOwnerModularAccountParams',
    'SmartAccountSigner',
  ].map((name) => [name, 'latchkey/compat'] as const),
  ...[
    'LightAccountActions',
    'SendUserOperationResult',
    'SmartAccountClient',
    'UserOperationOverrides',
    'UserOperationRequest',
    'UserOperationStruct',
  ].map((name) => [name, 'latchkey'] as const),
  ...['SessionConfig', 'User'].map((name) => [name, 'latchkey/signer'] as const),
  ...['EntryPointVersion', 'LightAccountVersion'].map((name) => [name, 'latchkey/accounts'] as const),
])
