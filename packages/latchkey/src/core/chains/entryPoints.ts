/** EntryPoints (ERC-4337) by version. Each version has the same address on every public chain. */
export const entryPoints = {
  '0.6.0': { address: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789', viemVersion: '0.6' },
  '0.7.0': { address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032', viemVersion: '0.7' },
  '0.8.0': { address: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108', viemVersion: '0.8' },
  '0.9.0': { address: '0x433709009B8330FDa32311DF1C2AFA402eD8D009', viemVersion: '0.9' },
} as const

/** EntryPoint version in Latchkey's spelling. `entryPoints[version].viemVersion` is viem's spelling. */
export type EntryPointVersion = keyof typeof entryPoints
