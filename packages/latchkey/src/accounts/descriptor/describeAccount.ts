import { type Address, type Chain, getAddress, isAddressEqual, numberToHex, size, slice, zeroAddress } from 'viem'
import { toWebAuthnAccount, type WebAuthnAccount } from 'viem/account-abstraction'
import { requireChain } from '../../core/arguments.ts'
import {
  getLightAccountContracts,
  getModularAccountContracts,
  getMultiOwnerLightAccountContracts,
} from '../../core/chains/accountContracts.ts'
import { getModularAccountV2Contracts } from '../../core/chains/modularAccountV2Contracts.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { lightAccountVersions } from '../lightAccount/versions.ts'
import type { SmartAccountOwner } from '../owner.ts'
import { ownershipOf } from '../owners/ownership.ts'
import { type PasskeyPoint, readPoint } from '../owners/passkeyPoint.ts'
import { readAccountOwners } from '../owners/readAccountOwners.ts'
import { passkeyVerifiers } from '../owners/toPasskeyOwner.ts'
import type { AccountOwner } from '../owners/types.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import {
  type DescribedOwner,
  type DescribedPasskey,
  type SignedAccountDescriptor,
  toSignedText,
} from './accountDescriptor.ts'
import { decodeCreation } from './decodeCreation.ts'
import { addressOf, findPasskeySigner } from './passkeySignature.ts'

export declare namespace describeAccount {
  type Parameters = {
    /** Account of this package. Its owner signs the descriptor. */
    account: LatchkeyAccount
    /** Ids of the chains on which the account is used. @default the account's chain */
    chains?: readonly number[] | undefined
    /** Assets that the account may hold: `TOKEN`, `TOKEN/ID` or `TOKEN/ID/all`. @default none */
    assets?: readonly string[] | undefined
    /**
     * Current owners.
     * @default read from the account's chain. If the node refuses the search for events of a Modular Account v2: the
     * signer and `passkeys`, as far as they are owners
     */
    owners?: readonly AccountOwner[] | undefined
    /** Domain of the site whose passkeys own the account. Required if a passkey is an owner. */
    rpId?: string | undefined
    /**
     * Known passkeys. The descriptor then contains their ids.
     * @default none: the browser lists the passkeys of the site
     */
    passkeys?: readonly Credential[] | undefined
  }
  type Credential = Pick<WebAuthnAccount, 'id' | 'publicKey'>
  type ReturnType = Promise<SignedAccountDescriptor>
}

/**
 * Returns the descriptor of an account, signed by its owner. With the descriptor and the key or the passkey of an owner,
 * the user can use the account without its app and without Latchkey's services, for example with `latchkey-dev exit`
 * and its page. Contains no secrets.
 *
 * @throws `ARGUMENT_INVALID` if a passkey is an owner and `rpId` is not its domain; `SIGNATURE_UNSUPPORTED` if the
 * signer is a contract other than a passkey's; `UNSUPPORTED_ACCOUNT_TYPE` for a Modular Account v2 in the mode
 * `single-signer`; `FACTORY_NOT_FOUND`, `STORAGE_SLOT_FAILED`, `SIGNER_NOT_AUTHENTICATED`, and errors of reading the
 * chain.
 *
 * @example
 * ```ts
 * import { describeAccount } from 'latchkey/accounts'
 * import { account } from './config.ts'
 *
 * const descriptor = await describeAccount({ account, rpId: 'example.com' })
 * const file = JSON.stringify(descriptor, null, 2)
 * console.log(file)
 * ```
 */
export async function describeAccount(parameters: describeAccount.Parameters): describeAccount.ReturnType {
  const { account, chains, assets } = parameters
  const { client, address, source, version } = account
  const owner = account.getSigner()
  const [initCode, held] = await Promise.all([account.getFactoryInitCode(), account.getImplementationAddress()])
  if (size(initCode) < 20) throw noFactoryError()
  const creation = decodeCreation(slice(initCode, 20))
  const owners = await listOwners(parameters)
  const passkey = await findPasskey(owners, owner)
  if (owner.isContract && !passkey) throw contractError()
  const chain = requireChain(client)
  const implementation = isAddressEqual(held, zeroAddress) ? findImplementation(account, creation, chain) : held
  const descriptor = {
    format: 'latchkey-account-2',
    type: source,
    version,
    address,
    firstOwners: creation.firstOwners,
    owners,
    salt: creation.salt,
    factory: getAddress(slice(initCode, 0, 20)),
    entryPoint: account.entryPoint.address,
    chains: chains ?? [chain.id],
    ...(implementation && { implementation }),
    ...(assets && { assets }),
  } as const
  const message = toSignedText(descriptor)
  const signature = await owner.signMessage({ message })
  if (passkey && !(await findPasskeySigner([passkey], { message, signature }))) throw domainError(passkey.rpId)
  return { ...descriptor, signature }
}

async function listOwners(parameters: describeAccount.Parameters): Promise<DescribedOwner[]> {
  const { account, rpId, passkeys = [] } = parameters
  const owners = parameters.owners ?? (await readOwners(account, passkeys))
  return owners.map((owner): DescribedOwner => {
    const { kind, passkey, validation } = owner
    const address = getAddress(owner.address)
    const entity = validation && { entityId: validation.entityId }
    if (kind !== 'passkey' || !passkey) return { kind: kind === 'contract' ? kind : 'key', address, ...entity }
    if (rpId === undefined) throw missingDomainError()
    const id = owner.credentialId ?? passkeys.find((known) => isSamePoint(readPoint(known), passkey))?.id
    const x = numberToHex(passkey.x, { size: 32 })
    const y = numberToHex(passkey.y, { size: 32 })
    const shared = { kind, x, y, rpId, ...(id && { credentialId: id }) }
    return entity ? { ...shared, ...entity } : { ...shared, signer: address, verifiers: passkeyVerifiers }
  })
}

async function readOwners(
  account: LatchkeyAccount,
  passkeys: readonly describeAccount.Credential[],
): Promise<readonly AccountOwner[]> {
  try {
    return (await readAccountOwners({ account })).owners
  } catch (error) {
    if (!(error instanceof BaseError) || error.code !== 'RPC_FAILED' || !(await account.isDeployed())) throw error
    // Entity ids follow from the owners, so known owners are found without events.
    const { resolve, has } = ownershipOf(account)
    const client = account.client as ReadClient
    const known = [account.getSigner(), ...passkeys.map((credential) => toWebAuthnAccount({ credential }))]
    const owners = await Promise.all(known.map((owner) => resolve(client, owner)))
    const found = await Promise.all(owners.map((owner) => has(client, account.address, owner)))
    const present = owners.filter((_, index) => found[index])
    if (present.length === 0) throw error
    // A key may be the first owner, which has no entity id.
    return present.map((owner) => (owner.kind === 'passkey' ? owner : { kind: owner.kind, address: owner.address }))
  }
}

const isSamePoint = (one: PasskeyPoint, other: PasskeyPoint) => one.x === other.x && one.y === other.y

async function findPasskey(owners: readonly DescribedOwner[], signer: SmartAccountOwner) {
  const address = await signer.getAddress()
  return owners.find(
    (owner): owner is DescribedPasskey => owner.kind === 'passkey' && isAddressEqual(addressOf(owner), address),
  )
}

function contractError(): BaseError {
  return new BaseError('The owner is a contract, whose signature a descriptor does not take.', {
    code: 'SIGNATURE_UNSUPPORTED',
    metaMessages: ['Describe the account with an owner that has a key or a passkey.'],
  })
}

function missingDomainError(): BaseError {
  return new BaseError('A passkey owns this account, so its descriptor needs the domain of the passkey.', {
    code: 'ARGUMENT_INVALID',
    metaMessages: ['Pass `rpId`: in a page, usually `location.hostname`.'],
  })
}

function domainError(rpId: string): BaseError {
  return new BaseError(`The passkey is not of the site ${rpId}.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: ['Pass the `rpId` with which the passkey was created.'],
  })
}

/** Creates the error for an EIP-7702 account. Its key is enough to use it, so it needs no descriptor. */
function noFactoryError(): BaseError {
  return new BaseError('An account at the address of its own key needs no descriptor.', {
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    metaMessages: ['Export the key: with it alone, the address and its assets can be used.'],
  })
}

function findImplementation(
  { source, version }: LatchkeyAccount,
  { firstOwners: [first] }: ReturnType<typeof decodeCreation>,
  chain: Chain,
): Address | undefined {
  if (source === 'MultiOwnerModularAccount') return getModularAccountContracts(chain)?.implementation
  const mode = typeof first === 'string' ? 'default' : 'webauthn'
  if (source === 'ModularAccountV2') return getModularAccountV2Contracts({ mode, chain })?.implementation
  if (source === 'MultiOwnerLightAccount')
    return getMultiOwnerLightAccountContracts({ version: 'v2.0.0', chain })?.implementation
  const known = lightAccountVersions.find((one) => one === version)
  return known && getLightAccountContracts({ version: known, chain })?.implementation
}
