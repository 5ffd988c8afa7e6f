/** Chains with EntryPoints, account factories and plugins at the addresses in the tables. */
export const supportedChainIds: readonly number[] = [
  1, 11155111, 137, 80002, 10, 11155420, 42161, 421614, 8453, 84532, 252, 2523, 7777777, 999999999,
]

/** Retired networks. The tables include them so that apps can read old data. */
export const retiredChainIds: readonly number[] = [5, 80001, 420, 421613, 84531]

export function isKnownChain(chainId: number): boolean {
  return supportedChainIds.includes(chainId) || retiredChainIds.includes(chainId)
}
