import { type Address, type Hex, serializeErc6492Signature, size, slice, type TypedDataDefinition } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'
import { encodeCalls } from './encodeCalls.ts'
import { encodeUpgradeToAndCall } from './encodeUpgradeToAndCall.ts'
import { entryPointReadsAbi } from './entryPointAbi.ts'
import { getSenderAddress } from './getSenderAddress.ts'
import type { OwnerParameter } from './owner.ts'
import { getEntryPointNonce } from './reads/getEntryPointNonce.ts'
import { getImplementationAddress } from './reads/getImplementationAddress.ts'
import { isContract } from './reads/isContract.ts'
import { requireAddress } from './requireAddress.ts'
import { requireChain } from './requireChain.ts'
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
    /** Default 0. */
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
  const ownerAddress = await owner.getAddress()
  const { initCode, predicted } = resolveCreation({ ...parameters, chain, owner: ownerAddress })
  const creationCode = () => {
    if (!initCode) throw noFactory(chain, contract)
    return initCode
  }
  const ask = () => getSenderAddress({ client, entryPoint, initCode: creationCode() })
  const address = requireAddress(parameters.accountAddress ?? predicted ?? (await ask()))
  const sign = signersOf({ contract, owner, ownerAddress, address, chainId: chain.id })
  const version = contract.entryPointVersion === '0.7.0' ? '0.7' : '0.6'

  const isDeployed = rememberTrue(() => isContract({ client, address }))
  const readImplementation = () => getImplementationAddress({ client, address })
  /** What deploys the account at its address. */
  const deployment = () => {
    if (predicted && predicted !== address) throw notItsAddress(address, predicted)
    return creationCode()
  }
  const wrap = async (signing: Promise<Hex>): Promise<Hex> => {
    const [deployed, signature] = await Promise.all([isDeployed(), signing])
    if (deployed) return signature
    const { factory, factoryData } = factoryArgs(deployment())
    return serializeErc6492Signature({ address: factory, data: factoryData, signature })
  }
  return {
    type: 'smart',
    client,
    address,
    entryPoint: { abi: entryPointReadsAbi, address: entryPoint, version },
    getAddress: async () => address,
    isDeployed,
    encodeCalls: async (calls) => encodeCalls(contract, calls),
    getFactoryArgs: async () => ((await isDeployed()) ? {} : factoryArgs(deployment())),
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
    getFactoryInitCode: async () => creationCode(),
    getInitCode: async () => ((await isDeployed()) ? '0x' : deployment()),
    getImplementationAddress: readImplementation,
    encodeUpgradeToAndCall: (upgrade) => encodeUpgradeToAndCall({ ...upgrade, contract, chain, readImplementation }),
    signMessageWith6492: ({ message }) => wrap(sign.message(message)),
    signTypedDataWith6492: (definition) => wrap(sign.typedData(definition as TypedDataDefinition)),
    signUserOperationHash: sign.operation,
    signTransaction: refuseTransaction,
  }
}

function factoryArgs(initCode: Hex): { factory: Address; factoryData: Hex } {
  return { factory: slice(initCode, 0, 20), factoryData: size(initCode) > 20 ? slice(initCode, 20) : '0x' }
}

/** A deployed account stays so; an undeployed one is looked at again. */
function rememberTrue(ask: () => Promise<boolean>): () => Promise<boolean> {
  let known = false
  return async () => {
    known ||= await ask()
    return known
  }
}

function notItsAddress(address: Address, predicted: Address): BaseError {
  return new BaseError(`There is no account at ${address}, and none can be made there.`, {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: [
      `Owners and salt give the address ${predicted}.`,
      'Check `accountAddress` and the chain, or leave it out.',
    ],
  })
}

async function refuseTransaction(): Promise<never> {
  throw new BaseError('SignTransaction is not supported by smart contracts', {
    code: 'TRANSACTION_SIGNING_UNSUPPORTED',
    metaMessages: ['Send a user operation instead.'],
    name: 'SignTransactionNotSupported',
  })
}
