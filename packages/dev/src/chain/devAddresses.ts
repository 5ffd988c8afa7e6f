/**
 * Contract addresses of the dev chain. EntryPoints, factories and implementations have the addresses of public chains,
 * so an account has the same address on both. Paymasters have the addresses of the first six contracts that account 8
 * of `devAccounts` would create (CREATE). In order, these are Latchkey's paymasters for 0.6 and 0.7, the EntryPoints'
 * sample paymasters, and Latchkey's paymasters for 0.8 and 0.9.
 */
export const devAddresses = {
  entryPoints: {
    '0.6.0': '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
    '0.7.0': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
    '0.8.0': '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
    '0.9.0': '0x433709009B8330FDa32311DF1C2AFA402eD8D009',
  },
  lightAccount: {
    'v1.0.1': {
      factory: '0x000000893A26168158fbeaDD9335Be5bC96592E2',
      implementation: '0xc1B2fC4197c9187853243E6e4eb5A4aF8879a1c0',
    },
    'v1.0.2': {
      factory: '0x00000055C0b4fA41dde26A74435ff03692292FBD',
      implementation: '0x5467b1947F47d0646704EB801E075e72aeAe8113',
    },
    'v1.1.0': {
      factory: '0x00004EC70002a32400f8ae005A26081065620D20',
      implementation: '0xae8c656ad28F2B59a196AB61815C16A0AE1c3cba',
    },
    'v2.0.0': {
      factory: '0x0000000000400CdFef5E2714E63d8040b700BC24',
      implementation: '0x8E8e658E22B12ada97B402fF0b044D6A325013C7',
    },
  },
  multiOwnerLightAccount: {
    'v2.0.0': {
      factory: '0x000000000019d2Ee9F2729A65AfE20bb0020AefC',
      implementation: '0xd2c27F9eE8E4355f71915ffD5568cB3433b6823D',
    },
  },
  modularAccount: {
    factory: '0x000000e92D78D90000007F0082006FDA09BD5f11',
    implementation: '0x0046000000000151008789797b54fdb500E2a61e',
  },
  plugins: {
    MultiOwnerPlugin: '0xcE0000007B008F50d762D155002600004cD6c647',
    SessionKeyPlugin: '0x0000003E0000a96de4058e1E02a62FaaeCf23d8d',
  },
  /** Modular account v2 (ERC-6900 v0.8) and its modules. */
  modularAccountV2: {
    factory: '0x00000000000017c61b5bEe81050EC8eFc9c6fecd',
    webAuthnFactory: '0x55010E571dCf07e254994bfc88b9C1C8FAe31960',
    implementation: '0x00000000000002377B26b1EdA7b0BC371C60DD4f',
    semiModularBytecode: '0x000000000000c5A9089039570Dd36455b5C07383',
    semiModularStorageOnly: '0x0000000000006E2f9d80CaEc0Da6500f005EB25A',
    semiModular7702: '0x69007702764179f14F51cdce752f4f775d74E139',
    semiModular7702V1_1: '0x77021100bD87b7008E5E1989d0eB38555d0d0000',
    executionInstallDelegate: '0x0000000000008e6a39E03C7156e46b238C9E2036',
  },
  modules: {
    SingleSignerValidationModule: '0x00000000000099DE0BF6fA90dEB851E2A2df7d83',
    WebAuthnValidationModule: '0x0000000000001D9d34E07D9834274dF9ae575217',
    AllowlistModule: '0x00000000003e826473A313E600b5b9B791f5a59a',
    NativeTokenLimitModule: '0x00000000000001e541f0D090868FBe24b59Fbe06',
    PaymasterGuardModule: '0x0000000000001aA7A7F7E29abe0be06c72FD42A1',
    TimeRangeModule: '0x00000000000082B8e2012be914dFA4f62A0573eA',
  },
  /** Contracts for passkeys as owners of accounts, at the addresses of public chains. */
  passkeyOwners: {
    factory: '0x1d31F259eE307358a26dFb23EB365939E8641195',
    verifier: '0xc2b78104907F722DABAc4C69f826a522B2754De4',
  },
  paymasters: {
    '0.6.0': '0x95bD8D42f30351685e96C62EDdc0d0613bf9a87A',
    '0.7.0': '0x98eDDadCfde04dC22a0e62119617e74a6Bc77313',
    '0.8.0': '0xc039b3B46814D8388e5205D37Dd0D154D806F1f4',
    '0.9.0': '0x2B15063A6F8a11d18404C801F295b1d19dCC8574',
  },
  samplePaymasters: {
    '0.6.0': '0x2B574555158337Cd46d47c2Ca57E4698A1f04e70',
    '0.7.0': '0xcA8b49076D1A8039599e24979abf819af784c27a',
  },
  /** Factories by the authors of the EntryPoints. Public toolkits use them by default. */
  simpleAccountFactories: {
    '0.6.0': '0x9406Cc6185a346906296840746125a0E44976454',
    '0.7.0': '0x91E60e0613810449d098b0b5Ec8b51A0FE8c8985',
  },
  /** EIP-7702 contracts to which viem's `toSimple7702SmartAccount` delegates. */
  simple7702Accounts: {
    '0.8.0': '0xe6Cae83BdE06E4c305530e199D7217f42808555B',
    '0.9.0': '0xa46cc63eBF4Bd77888AA327837d20b23A63a56B5',
  },
  demo: '0xde300000000000000000000000000000000000Df',
} as const

export type DevAddresses = typeof devAddresses
