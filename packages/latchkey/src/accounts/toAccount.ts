import type { Address, Chain, Hex, TypedDataDefinition } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { requireAddress, requireChain, requireUint } from '../core/arguments.ts'
import { entryPoints } from '../core/chains/entryPoints.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import { encodeCalls, encodeUpgradeToAndCall } from './callData.ts'
import type { AccountContract } from './contract.ts'
import { createDeploymentMethods } from './createDeploymentMethods.ts'
import { createSigningMethods } from './createSigningMethods.ts'
import { type EntryPointParameter, entryPointReadsAbi, readNonce, resolveEntryPoint } from './entryPoint.ts'
import { getSenderAddress } from './getSenderAddress.ts'
import { type OwnerParameter, type SmartAccountOwner, toOwner } from './owner.ts'
import { missingFactoryError, resolveCreation } from './resolveCreation.ts'
import type { LatchkeyAccount, ReadClient } from './types.ts'

export declare namespace toAccount {
  /** Parameters that the account functions of all contracts accept. */
  type Options = {
    /** Client for reads. The account is on this client's chain. */
    client: ReadClient
    /** Owner that signs. */
    owner: OwnerParameter
    /** 256-bit salt of the factory. @default 0n */
    salt?: bigint | undefined
    /** Address of an existing account, if it cannot be derived from owners and salt. */
    accountAddress?: Address | undefined
    /** Factory address and factory call data, concatenated. @default computed from owners and salt */
    initCode?: Hex | undefined
    /** @default the chain's factory */
    factoryAddress?: Address | undefined
    entryPoint?: EntryPointParameter | undefined
  }
  type Parameters<source extends string, version extends string> = Options & {
    contract: AccountContract<source, version>
    /** Owners besides the signer. */
    owners?: readonly Address[] | undefined
  }
  type ReturnType<source extends string, version extends string> = LatchkeyAccount<source, version>
}

/**
 * Creates a viem `SmartAccount` for any contract. Unlike in viem's `toSmartAccount`, the nonce key defaults to 0, and
 * `signMessage` and `signTypedData` never add the ERC-6492 wrapper; before the deployment, the variants `…With6492` add
 * it. With the chain's own factory, the address is computed without a request. With another factory or init code, it is
 * read from the EntryPoint.
 */
export async function toAccount<const source extends string, const version extends string>(
  parameters: toAccount.Parameters<source, version>,
): Promise<toAccount.ReturnType<source, version>> {
  const { client, contract } = parameters
  const chain = requireChain(client)
  const entryPoint = resolveEntryPoint(chain, contract, parameters.entryPoint)
  const owner = toOwner(parameters.owner)
  const ownerAddress = requireAddress(await owner.getAddress())
  const place = await findPlace(parameters, { chain, entryPoint, owner, ownerAddress })
  const { address, requireInitCode, wrapSignature, delegation, guard, ...deployment } = place
  const { getImplementationAddress } = deployment
  const { isUnwrapped, ...signing } = createSigningMethods({
    contract,
    owner,
    ownerAddress,
    address,
    chainId: chain.id,
  })
  const { signUserOperationHash = signing.signUserOperationHash } = guard?.(signing) ?? {}
  const readNext = (key: bigint) => readNonce({ client, entryPoint, address, key })
  const toNonceKey = async (key: bigint) =>
    contract.nonceKeys?.encode(key, readNext) ?? requireUint('The nonce key', key, 192)
  const { viemVersion } = entryPoints[contract.entryPointVersion]
  return {
    type: 'smart',
    client,
    address,
    entryPoint: { abi: entryPointReadsAbi, address: entryPoint, version: viemVersion },
    getAddress: async () => address,
    ...deployment,
    ...signing,
    signUserOperationHash,
    delegation,
    encodeCalls: async (calls) => encodeCalls(contract, calls, address),
    getNonce: async ({ key = 0n } = {}) => readNext(await toNonceKey(key)),
    toNonceKey,
    readNonceKey: (nonce) => contract.nonceKeys?.decode(nonce >> 64n) ?? nonce >> 64n,
    signTypedData: (definition) => signing.signTypedData(definition as TypedDataDefinition),
    signUserOperation: async ({ chainId = chain.id, ...operation }) => {
      const userOperation = { ...operation, sender: operation.sender ?? address, signature: '0x' as const }
      const signedFor = { chainId, entryPointAddress: entryPoint, entryPointVersion: viemVersion }
      const hash = getUserOperationHash({ ...signedFor, userOperation })
      return signUserOperationHash(hash, { chainId, entryPoint, operation: userOperation })
    },
    source: contract.source,
    version: contract.version,
    entryPointVersion: contract.entryPointVersion,
    getSigner: () => owner,
    // viem's bundler client uses these limits in place of the estimate.
    ...(owner.minVerificationGas !== undefined && {
      userOperation: { estimateGas: async () => ({ verificationGasLimit: owner.minVerificationGas }) },
    }),
    getFactoryInitCode: async () => requireInitCode(),
    encodeUpgradeToAndCall: (upgrade) =>
      encodeUpgradeToAndCall({ ...upgrade, contract, chain, getImplementationAddress }),
    signMessageWith6492: (parameters) =>
      wrapSignature(
        () => signing.signMessage(parameters),
        () => owner.signMessage(parameters),
      ),
    signTypedDataWith6492: async (given) => {
      const definition = given as TypedDataDefinition
      const sign = () => signing.signTypedData(definition)
      return isUnwrapped(definition) ? sign() : wrapSignature(sign, () => owner.signTypedData(definition))
    },
    signTransaction: refuseTransaction,
  }
}

type Owner = { chain: Chain; entryPoint: Address; owner: SmartAccountOwner; ownerAddress: Address }

/** Returns the account's address, and methods for its factory or for its delegation (EIP-7702). */
async function findPlace(
  parameters: toAccount.Parameters<string, string>,
  { chain, entryPoint, owner, ownerAddress }: Owner,
) {
  const { client, contract, accountAddress } = parameters
  if (contract.delegate) {
    const address = requireAddress(accountAddress ?? ownerAddress)
    const methods = contract.delegate({ client, address, owner, ownerAddress })
    return { address, requireInitCode: (): Hex => '0x', ...methods }
  }
  const { initCode, predicted } = resolveCreation({ ...parameters, chain, owner: ownerAddress })
  const requireInitCode = () => {
    if (!initCode) throw missingFactoryError(chain, contract)
    return initCode
  }
  const readAddress = () => getSenderAddress({ client, entryPoint, initCode: requireInitCode() })
  const address = requireAddress(accountAddress ?? predicted ?? (await readAddress()))
  const methods = createDeploymentMethods({ client, address, predicted, requireInitCode })
  return { address, requireInitCode, ...methods }
}

async function refuseTransaction(): Promise<never> {
  throw new BaseError('SignTransaction is not supported by smart contracts', {
    code: 'TRANSACTION_SIGNING_UNSUPPORTED',
    metaMessages: ['Send a user operation instead.'],
    name: 'SignTransactionNotSupported',
  })
}
