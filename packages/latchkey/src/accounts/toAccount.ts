import { type Address, type Hex, serializeErc6492Signature, size, slice, type TypedDataDefinition } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'
import { encodeCalls } from './encodeCalls.ts'
import { entryPointAbi } from './entryPointAbi.ts'
import { getSenderAddress } from './getSenderAddress.ts'
import type { SmartAccountOwner } from './owner.ts'
import { getEntryPointNonce } from './reads/getEntryPointNonce.ts'
import { getImplementationAddress } from './reads/getImplementationAddress.ts'
import { isContract } from './reads/isContract.ts'
import { signersOf } from './signersOf.ts'
import type { LatchkeyAccount, ReadClient } from './types.ts'

export declare namespace toAccount {
  type Parameters<source extends string, version extends string> = {
    client: ReadClient
    contract: AccountContract<source, version>
    owner: SmartAccountOwner
    entryPoint: Address
    /** Factory address and factory call in one. */
    initCode: Hex
    /** Address where it is known; else the entry point is asked, once. */
    address?: Address | undefined
  }
  type ReturnType<source extends string, version extends string> = LatchkeyAccount<source, version>
  type ErrorType = BaseError
}

/**
 * A viem `SmartAccount` of any contract. Made without viem's `toSmartAccount`, every part of which would have to be
 * undone: here the nonce key is 0 unless one is passed, `signMessage` and `signTypedData` never wrap, and the variants
 * `…With6492` do while the account is undeployed.
 */
export async function toAccount<const source extends string, const version extends string>(
  parameters: toAccount.Parameters<source, version>,
): Promise<toAccount.ReturnType<source, version>> {
  const { client, contract, owner, entryPoint, initCode } = parameters
  const address = parameters.address ?? (await getSenderAddress({ client, entryPoint, initCode }))
  const isDeployed = rememberTrue(() => isContract({ client, address }))
  const sign = signersOf({ contract, owner, address, chainId: client.chain.id })
  const version = contract.entryPointVersion === '0.7.0' ? '0.7' : '0.6'

  const wrap = async (signing: Promise<Hex>): Promise<Hex> => {
    const [deployed, signature] = await Promise.all([isDeployed(), signing])
    if (deployed) return signature
    const { factory, factoryData } = factoryArgs(initCode)
    return serializeErc6492Signature({ address: factory, data: factoryData, signature })
  }
  return {
    type: 'smart',
    client,
    address,
    entryPoint: { abi: entryPointAbi, address: entryPoint, version },
    getAddress: async () => address,
    isDeployed,
    encodeCalls: async (calls) => encodeCalls(contract, calls),
    getFactoryArgs: async () => ((await isDeployed()) ? {} : factoryArgs(initCode)),
    getStubSignature: async () => contract.dummySignature,
    getNonce: ({ key = 0n } = {}) => getEntryPointNonce({ client, entryPoint, address, key }),
    sign: ({ hash }) => sign.hash(hash),
    signMessage: ({ message }) => sign.message(message),
    signTypedData: (definition) => sign.typedData(definition as TypedDataDefinition),
    signUserOperation: async ({ chainId = client.chain.id, ...operation }) => {
      const userOperation = { ...operation, sender: operation.sender ?? address, signature: '0x' as const }
      const entryPointOf = { entryPointAddress: entryPoint, entryPointVersion: version } as const
      return sign.operation(getUserOperationHash({ chainId, userOperation, ...entryPointOf }))
    },
    source: contract.source,
    version: contract.version,
    entryPointVersion: contract.entryPointVersion,
    getSigner: () => owner,
    getFactoryInitCode: async () => initCode,
    getInitCode: async () => ((await isDeployed()) ? '0x' : initCode),
    getImplementationAddress: () => getImplementationAddress({ client, address }),
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

async function refuseTransaction(): Promise<never> {
  throw new BaseError('SignTransaction is not supported by smart contracts', {
    code: 'TRANSACTION_SIGNING_UNSUPPORTED',
    metaMessages: ['Send a user operation instead.'],
    name: 'SignTransactionNotSupported',
  })
}
