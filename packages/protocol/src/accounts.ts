/**
 * Account contracts by their names in wallet APIs, with their factories. A factory has the same address on every chain.
 */
export const accountFactories = {
  'LightAccountV1.0.1': '0x000000893A26168158fbeaDD9335Be5bC96592E2',
  'LightAccountV1.0.2': '0x00000055C0b4fA41dde26A74435ff03692292FBD',
  'LightAccountV1.1.0': '0x00004EC70002a32400f8ae005A26081065620D20',
  'LightAccountV2.0.0': '0x0000000000400CdFef5E2714E63d8040b700BC24',
  'LightAccountV2.0.0-MultiOwner': '0x000000000019d2Ee9F2729A65AfE20bb0020AefC',
  'MAv1.0.0-MultiOwner': '0x000000e92D78D90000007F0082006FDA09BD5f11',
  'MAv2.0.0-sma-b': '0x00000000000017c61b5bEe81050EC8eFc9c6fecd',
  'MAv2.0.0-ma-ssv': '0x00000000000017c61b5bEe81050EC8eFc9c6fecd',
} as const

export type FactoryType = keyof typeof accountFactories

/**
 * Addresses of the code that turns a delegating address into a Modular Account v2 (SemiModularAccount7702, EIP-7702),
 * by release, oldest first. Each is the same on every chain.
 */
export const modularAccountV2Delegates = {
  'v1.0.0': '0x69007702764179f14F51cdce752f4f775d74E139',
  'v1.1.0': '0x77021100bD87b7008E5E1989d0eB38555d0d0000',
} as const

export type ModularAccountV2Delegate = keyof typeof modularAccountV2Delegates
