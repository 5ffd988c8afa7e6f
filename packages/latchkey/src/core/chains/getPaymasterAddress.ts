import type { Address, Chain } from 'viem'
import { requireAddress } from '../arguments.ts'
import { BaseError } from '../errors/BaseError.ts'
import { getChainContracts } from './defineLatchkeyChain.ts'
import type { EntryPointVersion } from './entryPoints.ts'
import { supportedChainIds } from './supportedChainIds.ts'

/** Paymasters of the hosted gas manager, by EntryPoint version and chain. */
const hostedPaymasters: {
  readonly [version in EntryPointVersion]?: readonly { address: Address; chainIds: readonly number[] }[]
} = {
  '0.6.0': [
    {
      address: '0x4f84a207A80c39E9e8BaE717c1F25bA7AD1fB08F',
      chainIds: [80002, 11155420, 84532, 7777777, 999999999, 252, 2523],
    },
    { address: '0x4Fd9098af9ddcB41DA48A1d78F91F1398965addc', chainIds: [1, 42161, 10, 137, 8453] },
    { address: '0x0804Afe6EEFb73ce7F93CD0d5e7079a5a8068592', chainIds: [421614] },
    { address: '0xc03aac639bb21233e0139381970328db8bceeb67', chainIds: [11155111, 80001] },
  ],
  '0.7.0': [{ address: '0x2cc0c7981D846b9F2a16276556f6e8cb52BfB633', chainIds: supportedChainIds }],
}
export declare namespace getPaymasterAddress {
  type Parameters = {
    chain: Chain
    entryPointVersion: EntryPointVersion
    /** Takes precedence over the chain and the table. */
    address?: Address | undefined
  }
  type ReturnType = Address
}

/**
 * Returns the paymaster for dummy paymaster data: the parameter, then the chain object's, then the table's.
 *
 * @throws `CHAIN_UNSUPPORTED`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getPaymasterAddress, sepolia } from 'latchkey/chains'
 *
 * const paymaster = getPaymasterAddress({ chain: sepolia, entryPointVersion: '0.7.0' })
 * console.log(paymaster)
 * ```
 */
export function getPaymasterAddress(parameters: getPaymasterAddress.Parameters): getPaymasterAddress.ReturnType {
  const { chain, entryPointVersion } = parameters
  const hosted = hostedPaymasters[entryPointVersion]?.find(({ chainIds }) => chainIds.includes(chain.id))
  const found = parameters.address ?? getChainContracts(chain).paymasters?.[entryPointVersion] ?? hosted?.address
  // Keeps the original letter case, which goes into requests unchanged.
  if (found && requireAddress(found)) return found
  throw new BaseError(`Unsupported chain: ${chain.name} (${chain.id})`, {
    code: 'CHAIN_UNSUPPORTED',
    metaMessages: [
      `No paymaster for EntryPoint ${entryPointVersion} is known there.`,
      'Pass `gasManagerConfig.paymasterAddress`, or define the chain with `defineLatchkeyChain`.',
    ],
  })
}
