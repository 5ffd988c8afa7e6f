import { type Address, zeroAddress } from 'viem'

/**
 * Contracts to which a key may delegate its address (EIP-7702): audited public releases of accounts that only the key
 * controls. Any other contract could take all assets of the address.
 */
const accountDelegates: readonly Address[] = [
  // Ends a delegation.
  zeroAddress,
  // SemiModularAccount7702 v1.0.0 and v1.1.0.
  '0x69007702764179f14F51cdce752f4f775d74E139',
  '0x77021100bD87b7008E5E1989d0eB38555d0d0000',
  // Simple7702Account for EntryPoint 0.8 and 0.9.
  '0xe6Cae83BdE06E4c305530e199D7217f42808555B',
  '0xa46cc63eBF4Bd77888AA327837d20b23A63a56B5',
]

export function isAccountDelegate(delegate: string): boolean {
  return accountDelegates.some((known) => known.toLowerCase() === delegate.toLowerCase())
}
