import { type ModularAccountV2Delegate, modularAccountV2Modules } from 'latchkey-protocol'
import type { Address, Client } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import { requireAddress } from '../../core/arguments.ts'
import type { ModularAccountV2Mode } from '../../core/chains/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { addContractErrors } from '../errors/contractErrorsAbi.ts'
import type { OwnerParameter } from '../owner.ts'
import { isPasskey } from '../owners/passkeyPoint.ts'
import { toAccount } from '../toAccount.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import type { DeferredAction } from './deferredAction.ts'
import { modularAccountV2Errors } from './errors.ts'
import { type HookData, modularAccountV2Contract } from './modularAccountV2Contract.ts'
import { toModuleOwner } from './moduleOwner.ts'
import type { PermissionsGrant } from './permissions/grantPermissions.ts'
import { getValidationData } from './readValidations.ts'
import type { ValidationParameter } from './validations.ts'

export declare namespace toModularAccountV2 {
  type Parameters = Omit<toAccount.Options, 'owner'> & {
    /** Owner that signs. For a passkey, pass the account that viem's `toWebAuthnAccount` returns. */
    owner: OwnerParameter | WebAuthnAccount
    /**
     * Form of the account. The owner is stored in the proxy's code or in a validation module, or the account is at the
     * owner's own address, which delegates to the account's code (EIP-7702).
     * @default 'webauthn' for a passkey without its own entity id, otherwise 'default'
     */
    mode?: ModularAccountV2Mode | undefined
    /**
     * Release of the code in the mode `7702`. An address with an earlier release switches to this release with its next
     * operation. An address with a later release does not switch.
     * @default 'v1.0.0', which every service compatible with Account Kit supports
     */
    delegate?: ModularAccountV2Delegate | undefined
    /**
     * Validation function with which `owner` signs. Required, along with `accountAddress`, for a key that was added to
     * an account.
     * @default the account's owner
     */
    signerEntity?: SignerEntityParameter | undefined
    /** Permissions that the account's owner has granted to `owner`. Replaces `accountAddress` and `signerEntity`. */
    grant?: PermissionsGrant | undefined
    /** Change of the account, signed by its owner. The operation with the change's nonce executes it. */
    deferredAction?: DeferredAction | undefined
  }
  /** Validation function of a signer. */
  type SignerEntityParameter = {
    /** Entity id of the validation in the account; 0 is the owner. @default 0 */
    entityId?: number | undefined
    /** Whether the validation may call every function. @default true for the owner, otherwise false */
    isGlobalValidation?: boolean | undefined
    /** Whether the validation has execution hooks. @default the value on the chain */
    hasExecutionHooks?: boolean | undefined
    /** Data of validation hooks, in the order of their indices. @default none */
    hookData?: readonly HookData[] | undefined
  }
  type ReturnType = LatchkeyAccount<'ModularAccountV2', 'v2.0.0'> & {
    /** Address of the signer. A passkey's address only identifies the passkey and does not exist on the chain. */
    readonly publicKey: Address
    /** Validation function with which the account signs. */
    readonly signerEntity: { readonly entityId: number; readonly isGlobalValidation: boolean }
  }
}

/**
 * Creates a Modular Account v2 object (ERC-6900 v0.8, EntryPoint 0.7), the default account of Account Kit 4. Its owner
 * is one key. Additional keys are validations with their own rules.
 *
 * @throws `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `FACTORY_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`,
 * `OWNER_NOT_FOUND`, and errors of reading the chain for a `signerEntity`.
 *
 * @example
 * ```ts
 * import { toModularAccountV2 } from 'latchkey/accounts'
 * import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
 * import { publicClient } from './config.ts'
 *
 * const owner = privateKeyToAccount(generatePrivateKey())
 * const account = await toModularAccountV2({ client: publicClient, owner })
 * console.log(account.address)
 * ```
 */
export async function toModularAccountV2(
  parameters: toModularAccountV2.Parameters,
): Promise<toModularAccountV2.ReturnType> {
  addContractErrors(modularAccountV2Errors)
  const { grant, ...given } = parameters
  const merged = grant ? { ...given, ...readGrant(grant, given.client) } : given
  const { signerEntity = {}, deferredAction, owner: anyOwner, mode: givenMode, delegate, ...options } = merged
  const { owner, passkey } = isPasskey(anyOwner) ? toModuleOwner(anyOwner) : { owner: anyOwner, passkey: undefined }
  const { entityId = 0, hookData = [] } = signerEntity
  const mode = givenMode ?? (passkey && entityId === 0 ? 'webauthn' : 'default')
  if (mode === 'webauthn' && !passkey) throw missingPasskeyError()
  if (mode === '7702' && passkey && !options.accountAddress) throw noAddressError()
  // The factories install an owner's module with any entity id and without hooks.
  const isOwner = entityId === 0 || (mode !== 'default' && mode !== '7702' && !options.accountAddress)
  const { isGlobalValidation = isOwner } = signerEntity
  const moduleAddress = passkey ? modularAccountV2Modules.webauthn : modularAccountV2Modules.singleSigner
  const hasExecutionHooks =
    signerEntity.hasExecutionHooks ??
    (!isOwner && (await readHasExecutionHooks(options.client, options.accountAddress, { moduleAddress, entityId })))
  const entity = { entityId, isGlobalValidation, hasExecutionHooks, hookData }
  const creationEntityId = isOwner ? entityId : 0
  const contract = modularAccountV2Contract({ mode, delegate, creationEntityId, entity, passkey, deferredAction })
  const account = await toAccount({ ...options, owner, contract })
  return {
    ...account,
    publicKey: requireAddress(await account.getSigner().getAddress()),
    signerEntity: { entityId, isGlobalValidation },
  }
}

function missingPasskeyError(): BaseError {
  return new BaseError('An account of the mode webauthn needs a passkey as its owner.', {
    code: 'ARGUMENT_INVALID',
    metaMessages: ['Pass `owner: toWebAuthnAccount({ credential })` of viem.'],
  })
}

function noAddressError(): BaseError {
  return new BaseError('A passkey has no address that could delegate to the code of an account.', {
    code: 'ARGUMENT_INVALID',
    metaMessages: [
      'Leave `mode` out, or pass the `accountAddress` of a delegated address to which the passkey was added.',
    ],
  })
}

/** Returns the parameters in a grant. @throws `CHAIN_MISMATCH`. */
function readGrant(grant: PermissionsGrant, { chain }: ReadClient): Partial<toModularAccountV2.Parameters> {
  const { account, chainId, entityId, isGlobalValidation, hasExecutionHooks, initCode, deferredAction } = grant
  if (chain.id !== chainId) {
    throw new BaseError(`The permissions were granted on chain ${chainId}, but the client is on chain ${chain.id}.`, {
      code: 'CHAIN_MISMATCH',
      metaMessages: ['Grant them on each chain.'],
    })
  }
  return {
    accountAddress: account,
    // A grant without an init code belongs to a delegated address.
    ...(initCode === '0x' ? { mode: '7702' } : { initCode }),
    signerEntity: { entityId, isGlobalValidation, hasExecutionHooks },
    deferredAction: { ...deferredAction, nonce: BigInt(deferredAction.nonce) },
  }
}

/** Reads from the account whether the key's validation has execution hooks. */
async function readHasExecutionHooks(
  client: Client,
  address: Address | undefined,
  validation: ValidationParameter,
): Promise<boolean> {
  if (!address) {
    throw new BaseError('A key with its own entity id needs the address of its account.', {
      code: 'ACCOUNT_NOT_FOUND',
      metaMessages: ['Pass `accountAddress`.'],
    })
  }
  const found = await getValidationData(client, { account: address, ...validation })
  return found.executionHooks.length > 0
}
