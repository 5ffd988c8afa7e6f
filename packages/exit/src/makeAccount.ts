import {
  BaseError,
  type LatchkeyAccount,
  type OwnerParameter,
  toLightAccount,
  toModularAccount,
  toModularAccountV2,
  toMultiOwnerLightAccount,
} from 'latchkey/accounts'
import type { Address, Chain, Client, Hex, Transport } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import { accountKinds } from './accountKinds.ts'
import { CommandError } from './errors.ts'

export declare namespace makeAccount {
  type Parameters = {
    client: Client<Transport, Chain, undefined>
    /** A passkey can own only a Modular Account v2 itself. In other accounts, its signer contract is the owner. */
    owner: OwnerParameter | WebAuthnAccount
    type: string
    version: string
    owners: readonly Address[]
    salt: bigint
    /** Address of a deployed account, whose owners may have changed. */
    accountAddress?: Address | undefined
    /** Factory address and factory call data. @default computed from owners and salt */
    initCode?: Hex | undefined
    /** Entity id of the owner in a Modular Account v2. @default 0 */
    entityId?: number | undefined
  }
  type ReturnType = Promise<LatchkeyAccount>
}

/**
 * Returns an account of any type and version, for which one owner signs.
 *
 * @throws `UNSUPPORTED_ACCOUNT_TYPE`
 */
export async function makeAccount({ type, version, ...rest }: makeAccount.Parameters): makeAccount.ReturnType {
  const kind = accountKinds.find((known) => known.type === type && known.version === version)
  if (!kind) {
    const names = accountKinds.map((known) => `${known.type}@${known.version}`).join(', ')
    throw new CommandError(`There is no account of type ${type.slice(0, 40)} and version ${version.slice(0, 20)}.`, {
      code: 'UNSUPPORTED_ACCOUNT_TYPE',
      hint: `Available: ${names}.`,
    })
  }
  try {
    return await make(kind.type, version, rest)
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    throw new CommandError(cause.shortMessage, { code: cause.code, cause })
  }
}

async function make(
  type: (typeof accountKinds)[number]['type'],
  version: string,
  { owner, owners, entityId, ...rest }: Omit<makeAccount.Parameters, 'type' | 'version'>,
): Promise<LatchkeyAccount> {
  if (type === 'ModularAccountV2') {
    const signerEntity = entityId === undefined ? undefined : { entityId, isGlobalValidation: true }
    return toModularAccountV2({ ...rest, owner, signerEntity })
  }
  if (isPasskey(owner))
    throw new CommandError(`A passkey cannot create an account of type ${type}.`, { code: 'UNSUPPORTED_ACCOUNT_TYPE' })
  if (type === 'MultiOwnerLightAccount') return toMultiOwnerLightAccount({ ...rest, owner, owners })
  if (type === 'MultiOwnerModularAccount') return toModularAccount({ ...rest, owner, owners })
  return toLightAccount({ ...rest, owner, version: lightVersions.find((known) => known === version) })
}

const lightVersions = ['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const

export const isPasskey = (owner: OwnerParameter | WebAuthnAccount): owner is WebAuthnAccount =>
  'type' in owner && owner.type === 'webAuthn'
