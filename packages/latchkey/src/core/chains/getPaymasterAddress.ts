import type { Address, Chain } from 'viem'
import { BaseError } from '../errors/BaseError.ts'
import { chainContracts } from './chainContracts.ts'
import { requireAddress } from './requireAddress.ts'
import { supportedChainIds } from './supportedChainIds.ts'
import type { EntryPointVersion } from './types.ts'

/** Hosted gas-manager paymasters of EntryPoint 0.6, in groups of chains. */
const groups06: readonly { address: Address; chainIds: readonly number[] }[] = [
  {
    address: '0x4f84a207A80c39E9e8BaE717c1F25bA7AD1fB08F',
    chainIds: [80002, 11155420, 84532, 7777777, 999999999, 252, 2523],
  },
  { address: '0x4Fd9098af9ddcB41DA48A1d78F91F1398965addc', chainIds: [1, 42161, 10, 137, 8453] },
  { address: '0x0804Afe6EEFb73ce7F93CD0d5e7079a5a8068592', chainIds: [421614] },
  { address: '0xc03aac639bb21233e0139381970328db8bceeb67', chainIds: [11155111, 80001] },
]
const address07: Address = '0x2cc0c7981D846b9F2a16276556f6e8cb52BfB633'

export declare namespace getPaymasterAddress {
  type Parameters = {
    chain: Chain
    entryPointVersion: EntryPointVersion
    /** Wins over everything. */
    address?: Address | undefined
  }
  type ReturnType = Address
  type ErrorType = BaseError
}

/**
 * Paymaster named in dummy paymaster data: the parameter, else what the chain object says, else the table.
 * Throws `CHAIN_UNSUPPORTED`, `ADDRESS_INVALID`.
 */
export function getPaymasterAddress(parameters: getPaymasterAddress.Parameters): getPaymasterAddress.ReturnType {
  const { chain, entryPointVersion } = parameters
  const found = parameters.address ?? chainContracts(chain).paymasters?.[entryPointVersion] ?? lookUp(parameters)
  // It travels in the spelling it has here, as it always has.
  if (found && requireAddress(found)) return found
  throw new BaseError(`Unsupported chain: ${chain.name} (${chain.id})`, {
    code: 'CHAIN_UNSUPPORTED',
    metaMessages: [
      `No paymaster for EntryPoint ${entryPointVersion} is known there.`,
      'Pass `gasManagerConfig.paymasterAddress`, or define the chain with `defineLatchkeyChain`.',
    ],
  })
}

function lookUp({ chain, entryPointVersion }: getPaymasterAddress.Parameters): Address | undefined {
  if (entryPointVersion === '0.7.0') return supportedChainIds.includes(chain.id) ? address07 : undefined
  return groups06.find((group) => group.chainIds.includes(chain.id))?.address
}
