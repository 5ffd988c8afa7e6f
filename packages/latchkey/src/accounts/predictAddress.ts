import type { Address, Chain } from 'viem'
import { requireAddress, requireUint } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract, Creation } from './contract.ts'

export declare namespace predictAddress {
  /** Parameters that the address prediction of every contract accepts. */
  type Options = {
    /** 256-bit salt of the factory. @default 0n */
    salt?: bigint | undefined
    /** Chain whose factory is used. @default public chains, which have the same factory */
    chain?: Chain | undefined
    /** @default the chain's factory */
    factoryAddress?: Address | undefined
    /** Implementation that the factory uses for accounts. @default the chain's implementation */
    implementationAddress?: Address | undefined
  }
  type Parameters = Options & { contract: AccountContract; owners: Creation['owners'] }
  type ReturnType = Address
}

/**
 * Computes the current or future address of an account, for any contract (CREATE2, EIP-1014).
 *
 * @throws `FACTORY_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 */
export function predictAddress(parameters: predictAddress.Parameters): predictAddress.ReturnType {
  const { contract, owners, salt = 0n, chain, factoryAddress, implementationAddress } = parameters
  const [first, ...rest] = owners
  const known = contract.contractsOn(chain)
  const factory = factoryAddress ?? known?.factory
  const implementation = implementationAddress ?? known?.implementation
  if (!factory || !implementation) {
    throw notFoundError(`No factory of ${contract.source} ${contract.version} is known.`, [
      'Pass `factoryAddress` and `implementationAddress`.',
    ])
  }
  const checked: Creation['owners'] = [requireAddress(first), ...rest.map(requireAddress)]
  const contracts = { factory: requireAddress(factory), implementation: requireAddress(implementation) }
  const address = contract.predictAddress({ ...contracts, owners: checked, salt: requireUint('The salt', salt, 256) })
  if (address) return address
  throw notFoundError(`The accounts of the factory ${factory} are made in a way that is not known here.`, [
    `Implementation: ${implementation}`,
    'Ask the entry point: make the account itself, or use `getSenderAddress`.',
  ])
}

function notFoundError(message: string, metaMessages: readonly string[]): BaseError {
  return new BaseError(message, { code: 'FACTORY_NOT_FOUND', metaMessages })
}
