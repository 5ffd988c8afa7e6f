import type { Address, Hex, TypedDataDefinition } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { requireAddress, requireChain } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'
import { deploymentOf } from './deploymentOf.ts'
import { encodeCalls } from './encodeCalls.ts'
import { encodeUpgradeToAndCall } from './encodeUpgradeToAndCall.ts'
import { entryPointReadsAbi } from './entryPointAbi.ts'
import { getSenderAddress } from './getSenderAddress.ts'
import type { OwnerParameter } from './owner.ts'
import { getEntryPointNonce } from './reads/getEntryPointNonce.ts'
import { getImplementationAddress } from './reads/getImplementationAddress.ts'
import { noFactory, resolveCreation } from './resolveCreation.ts'
import { type EntryPointParameter, resolveEntryPoint } from './resolveEntryPoint.ts'
import { signersOf } from './signersOf.ts'
import { toOwner } from './toOwner.ts'
import type { LatchkeyAccount, ReadClient } from './types.ts'

export declare namespace toAccount {
  /** What the account functions of all contracts take. */
  type Options = {
    /** Reads go through it; its chain is the account's. */
    client: ReadClient
    /** Who signs. */
    owner: OwnerParameter
    /** The factory's salt, of 256 bits. Default 0. */
    salt?: bigint | undefined
    /** Address of an account that exists, where it is not the one of owners and salt. */
    accountAddress?: Address | undefined
    /** Factory address and factory call in one. Default: made from owners and salt. */
    initCode?: Hex | undefined
    /** Default: the chain's. */
    factoryAddress?: Address | undefined
    entryPoint?: EntryPointParameter | undefined
  }
  type Parameters<source extends string, version extends string> = Options & {
    contract: AccountContract<source, version>
    /** Owners beside the one that signs. */
    owners?: readonly Address[] | undefined
  }
  type ReturnType<source extends string, version extends string> = LatchkeyAccount<source, version>
  type ErrorType = BaseError
}

/**
 * A viem `SmartAccount` of any contract. Made without viem's `toSmartAccount`, every part of which would have to be
 * undone: here the nonce key is 0 unless one is passed, `signMessage` and `signTypedData` never wrap, and the variants
 * `…With6492` do while the account is undeployed. The address is computed without a request where the factory is the
 * chain's own; for another factory or init code the entry point is asked.
 */
export async function toAccount<const source extends string, const version extends string>(
  parameters: toAccount.Parameters<source, version>,
): Promise<toAccount.ReturnType<source, version>> {
  const { client, contract } = parameters
  const chain = requireChain(client)
  const entryPoint = resolveEntryPoint(chain, contract, parameters.entryPoint)
  const owner = toOwner(parameters.owner)
  const ownerAddress = requireAddress(await owner.getAddress())
  const { initCode, predicted } = resolveCreation({ ...parameters, chain, owner: ownerAddress })
  const requireInitCode = () => {
    if (!initCode) throw noFactory(chain, contract)
    return initCode
  }
  const ask = () => getSenderAddress({ client, entryPoint, initCode: requireInitCode() })
  const address = requireAddress(parameters.accountAddress ?? predicted ?? (await ask()))
  const { wrap, ...deployment } = deploymentOf({ client, address, predicted, requireInitCode })
  const sign = signersOf({ contract, owner, ownerAddress, address, chainId: chain.id })
  const readImplementation = () => getImplementationAddress({ client, address })
  const version = contract.entryPointVersion === '0.7.0' ? '0.7' : '0.6'
  return {
    type: 'smart',
    client,
    address,
    entryPoint: { abi: entryPointReadsAbi, address: entryPoint, version },
    getAddress: async () => address,
    ...deployment,
    encodeCalls: async (calls) => encodeCalls(contract, calls),
    getStubSignature: sign.dummy,
    getNonce: ({ key = 0n } = {}) => getEntryPointNonce({ client, entryPoint, address, key }),
    sign: ({ hash }) => sign.hash(hash),
    signMessage: ({ message }) => sign.message(message),
    signTypedData: (definition) => sign.typedData(definition as TypedDataDefinition),
    signUserOperation: async ({ chainId = chain.id, ...operation }) => {
      const userOperation = { ...operation, sender: operation.sender ?? address, signature: '0x' as const }
      const entryPointOf = { entryPointAddress: entryPoint, entryPointVersion: version } as const
      return sign.operation(getUserOperationHash({ chainId, userOperation, ...entryPointOf }))
    },
    source: contract.source,
    version: contract.version,
    entryPointVersion: contract.entryPointVersion,
    getSigner: () => owner,
    getFactoryInitCode: async () => requireInitCode(),
    getImplementationAddress: readImplementation,
    encodeUpgradeToAndCall: (upgrade) => encodeUpgradeToAndCall({ ...upgrade, contract, chain, readImplementation }),
    signMessageWith6492: ({ message }) => wrap(sign.message(message)),
    signTypedDataWith6492: (definition) => wrap(sign.typedData(definition as TypedDataDefinition)),
    signUserOperationHash: sign.operation,
    signTransaction: refuseTransaction,
  }
}

async function refuseTransaction(): Promise<never> {
  throw new BaseError('SignTransaction is not supported by smart contracts', {
    code: 'TRANSACTION_SIGNING_UNSUPPORTED',
    metaMessages: ['Send a user operation instead.'],
    name: 'SignTransactionNotSupported',
  })
}
