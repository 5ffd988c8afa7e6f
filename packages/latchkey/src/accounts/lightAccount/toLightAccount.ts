import { type Address, type Chain, concat, type Hex, isAddressEqual } from 'viem'
import { getEntryPointAddress } from '../../core/chains/getEntryPointAddress.ts'
import { getLightAccountContracts } from '../../core/chains/getLightAccountContracts.ts'
import type { EntryPointVersion, LightAccountVersion } from '../../core/chains/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { OwnerParameter } from '../owner.ts'
import { toAccount } from '../toAccount.ts'
import { toOwner } from '../toOwner.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import type { LightAccountContract } from './contract.ts'
import { getLightOwner } from './getLightOwner.ts'
import { lightAccountContract } from './versions.ts'

export declare namespace toLightAccount {
  type Parameters = {
    client: ReadClient
    owner: OwnerParameter
    /** Default `v1.1.0`. */
    version?: LightAccountVersion | undefined
    /** Default 0. */
    salt?: bigint | undefined
    /** Address of an account that exists, where it is not the one of owner and salt. */
    accountAddress?: Address | undefined
    /** Factory address and factory call in one. Default: made from owner and salt. */
    initCode?: Hex | undefined
    /** Default: the chain's. */
    factoryAddress?: Address | undefined
    entryPoint?: { version?: EntryPointVersion | undefined; address?: Address | undefined } | undefined
  }
  type ReturnType = LatchkeyAccount<'LightAccount', LightAccountVersion> & {
    /** Owner on the chain, once deployed. Throws 'could not get on-chain owner' (`OWNER_NOT_FOUND`). */
    getOwnerAddress(): Promise<Address>
  }
  type ErrorType = BaseError
}

/**
 * A LightAccount: one owner, deployed by its first user operation. The address is computed here, without a request,
 * when the factory is the chain's own; another factory or init code makes the entry point be asked.
 *
 * Throws `VERSION_UNKNOWN`, `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `FACTORY_NOT_FOUND`,
 * `COUNTERFACTUAL_ADDRESS_FAILED`.
 */
export async function toLightAccount(parameters: toLightAccount.Parameters): Promise<toLightAccount.ReturnType> {
  const { client, salt = 0n, version = 'v1.1.0' } = parameters
  const contract = lightAccountContract(version)
  const chain = requireChain(client)
  const entryPoint = getEntryPointAddress({
    chain,
    version: requireVersion(contract, parameters.entryPoint?.version),
    address: parameters.entryPoint?.address,
  })
  const owner = toOwner(parameters.owner)
  const ownerAddress = await owner.getAddress()
  const known = getLightAccountContracts({ version, chain })
  const factory = parameters.factoryAddress ?? known?.factory
  if (!factory && !parameters.initCode) throw noFactory(chain, contract)
  const ownInitCode = factory ? concat([factory, contract.encodeCreate({ owner: ownerAddress, salt })]) : '0x'
  const initCode = lowerCase(parameters.initCode ?? ownInitCode)
  // The formula holds for the factory it was taken from, called the way it is called here.
  const predictable = known && factory && isAddressEqual(known.factory, factory) && initCode === lowerCase(ownInitCode)
  const predicted = predictable ? contract.predictAddress({ ...known, owner: ownerAddress, salt }) : undefined
  const address = parameters.accountAddress ?? predicted
  const account = await toAccount({ client, contract, owner, entryPoint, initCode, address })
  return { ...account, getOwnerAddress: () => getLightOwner({ client, address: account.address }) }
}

function requireChain(client: { chain?: Chain | undefined } | undefined): Chain {
  if (client?.chain) return client.chain
  throw new BaseError('No chain supplied to the client', {
    code: 'CHAIN_NOT_FOUND',
    metaMessages: ['Pass `client`: a viem client made with a `chain`.'],
    name: 'ChainNotFoundError',
  })
}

function requireVersion(contract: LightAccountContract, asked: EntryPointVersion | undefined): EntryPointVersion {
  if (asked === undefined || asked === contract.entryPointVersion) return contract.entryPointVersion
  throw new BaseError(
    `${contract.source} ${contract.version} works with EntryPoint ${contract.entryPointVersion} only.`,
    {
      code: 'ENTRY_POINT_NOT_FOUND',
      metaMessages: [`Asked for: ${asked}`],
    },
  )
}

function noFactory(chain: Chain, contract: LightAccountContract): BaseError {
  return new BaseError(
    `No default factory for ${contract.source} found on chain ${chain.name} for entrypoint version ${contract.entryPointVersion}`,
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
