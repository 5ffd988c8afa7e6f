/** EntryPoints (ERC-4337) by version, each a singleton at one address on every public chain. */
export const entryPoints = {
  '0.6.0': { address: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789', viemVersion: '0.6' },
  '0.7.0': { address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032', viemVersion: '0.7' },
} as const

/** EntryPoint version as spelled in Latchkey; `viemVersion` of the table is viem's spelling. */
export type EntryPointVersion = keyof typeof entryPoints
