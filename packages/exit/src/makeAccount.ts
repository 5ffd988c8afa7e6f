import {
  BaseError,
  type LatchkeyAccount,
  toLightAccount,
  toModularAccount,
  toModularAccountV2,
  toMultiOwnerLightAccount,
} from 'latchkey/accounts'
import type { Address, Chain, Client, LocalAccount, Transport } from 'viem'
import { accountKinds } from './accountKinds.ts'
import { CommandError } from './errors.ts'

export declare namespace makeAccount {
  type Parameters = {
    client: Client<Transport, Chain, undefined>
    owner: LocalAccount
    type: string
    version: string
    owners: readonly Address[]
    salt: bigint
    /** Address of a deployed account, whose owners may have changed. */
    accountAddress?: Address | undefined
  }
  type ReturnType = Promise<LatchkeyAccount>
}

/**
 * Returns an account of any type and version, for which one owner signs.
 *
 * @throws `UNSUPPORTED_ACCOUNT_TYPE`
 */
export async function makeAccount({ type, version, owners, ...rest }: makeAccount.Parameters): makeAccount.ReturnType {
  const kind = accountKinds.find((known) => known.type === type && known.version === version)
  if (!kind) {
    const names = accountKinds.map((known) => `${known.type}@${known.version}`).join(', ')
    throw new CommandError(`There is no account of type ${type.slice(0, 40)} and version ${version.slice(0, 20)}.`, {
      code: 'UNSUPPORTED_ACCOUNT_TYPE',
      hint: `Available: ${names}.`,
    })
  }
  try {
    if (kind.type === 'MultiOwnerLightAccount') return await toMultiOwnerLightAccount({ ...rest, owners })
    if (kind.type === 'MultiOwnerModularAccount') return await toModularAccount({ ...rest, owners })
    if (kind.type === 'ModularAccountV2') return await toModularAccountV2(rest)
    return await toLightAccount({ ...rest, version: lightVersions.find((known) => known === version) })
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    throw new CommandError(cause.shortMessage, { code: cause.code, cause })
  }
}

const lightVersions = ['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const
