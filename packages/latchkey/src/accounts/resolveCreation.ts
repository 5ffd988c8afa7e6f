import { type Address, type Chain, concat, type Hex } from 'viem'
import { requireAddress, requireBytes, requireUint } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'

export declare namespace resolveCreation {
  type Parameters = {
    chain: Chain
    contract: AccountContract
    owner: Address
    owners?: readonly Address[] | undefined
    salt?: bigint | undefined
    initCode?: Hex | undefined
    factoryAddress?: Address | undefined
  }
  type ReturnType = {
    /** Factory address and factory call data, concatenated; undefined if no factory is known. */
    initCode: Hex | undefined
    /** Address created by the init code, if it can be computed without a request. */
    predicted: Address | undefined
  }
}

/**
 * Returns the init code of an account and the address that it creates.
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `OWNERS_INVALID`.
 */
export function resolveCreation(parameters: resolveCreation.Parameters): resolveCreation.ReturnType {
  const { chain, contract, owner, owners = [], salt = 0n } = parameters
  const given = parameters.initCode === undefined ? undefined : requireBytes('The init code', parameters.initCode, 20)
  const known = contract.contractsOn(chain)
  const factory = parameters.factoryAddress ? requireAddress(parameters.factoryAddress) : known?.factory
  if (!factory) return { initCode: given, predicted: undefined }
  const creation = {
    owners: contract.listOwners(owners, owner),
    salt: contract.fixedSalt ?? requireUint('The salt', salt, 256),
  }
  const call = contract.encodeCreate(creation)
  const initCode = lowerCase(given ?? concat([factory, call]))
  // The formula applies only to the known factory with the computed call data.
  const isKnown = known && initCode === lowerCase(concat([known.factory, call]))
  return { initCode, predicted: isKnown ? contract.predictAddress({ ...known, ...creation }) : undefined }
}

export function missingFactoryError(chain: Chain, { source, entryPointVersion }: AccountContract): BaseError {
  return new BaseError(
    `No default factory for ${source} found on chain ${chain.name} for entrypoint version ${entryPointVersion}`,
    {
      code: 'FACTORY_NOT_FOUND',
      metaMessages: ['Supply an override via the `factoryAddress` parameter when creating an account'],
      name: 'DefaultFactoryNotDefinedError',
    },
  )
}

function lowerCase(value: Hex): Hex {
  return value.toLowerCase() as Hex
}
