import type { Address } from 'viem'
import { type AccountContract, unknownVersionError } from '../contract.ts'
import { createDelegationMethods } from '../createDelegationMethods.ts'
import { encodeModularCalls } from '../modularAccount/encoding.ts'
import { toAccount } from '../toAccount.ts'
import type { LatchkeyAccount } from '../types.ts'

/** Simple7702Account by the authors of the EntryPoints: one release for each EntryPoint, oldest first. */
const releases = {
  'v0.8.0': { entryPointVersion: '0.8.0', implementation: '0xe6Cae83BdE06E4c305530e199D7217f42808555B' },
  'v0.9.0': { entryPointVersion: '0.9.0', implementation: '0xa46cc63eBF4Bd77888AA327837d20b23A63a56B5' },
} as const

type Version = keyof typeof releases

export declare namespace toSimple7702Account {
  type Parameters = Pick<toAccount.Options, 'client' | 'owner' | 'accountAddress' | 'entryPoint'> & {
    /** Release of the code. Each release is for the EntryPoint with the same version. @default 'v0.8.0' */
    version?: Version | undefined
  }
  type ReturnType = LatchkeyAccount<'Simple7702Account', Version>
}

/**
 * Creates an account at the owner's own address (EIP-7702, EntryPoint 0.8 or 0.9), like viem's
 * `toSimple7702SmartAccount`. Its only owner is the key of the address, and it has no modules. The hash of its first
 * operation covers the delegate.
 *
 * @throws `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `VERSION_UNKNOWN`, `OWNER_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { toSimple7702Account } from 'latchkey/accounts'
 * import { owner, publicClient } from './config.ts'
 *
 * const account = await toSimple7702Account({ client: publicClient, owner })
 * console.log(account.address === owner.address)
 * ```
 */
export async function toSimple7702Account(
  parameters: toSimple7702Account.Parameters,
): Promise<toSimple7702Account.ReturnType> {
  const { version = 'v0.8.0', ...options } = parameters
  return toAccount({ ...options, contract: simple7702Contract(version) })
}

function simple7702Contract(version: Version): AccountContract<'Simple7702Account', Version> {
  if (!Object.hasOwn(releases, version)) throw unknownVersionError('Simple7702Account', version, Object.keys(releases))
  const { entryPointVersion, implementation } = releases[version]
  // The code uses no storage, so a later release can replace an earlier one.
  const older: Address[] = version === 'v0.9.0' ? [releases['v0.8.0'].implementation] : []
  return {
    source: 'Simple7702Account',
    version,
    entryPointVersion,
    delegate: (place) =>
      createDelegationMethods({ ...place, delegates: { implementation, newer: [], older }, namesDelegate: true }),
    erc1271: 'bare',
    isOperationBare: true,
    contractsOn: () => undefined,
    listOwners: (_, signer) => [signer],
    encodeCreate: () => '0x',
    predictAddress: () => undefined,
    encodeCalls: encodeModularCalls,
  }
}
