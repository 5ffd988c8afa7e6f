import { errorCodes } from 'latchkey/wire'
import type { Address } from 'viem'
import { entryPoint06Address, entryPoint07Address } from 'viem/account-abstraction'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import type { PaymasterScheme } from './PaymasterScheme.ts'
import { scheme06 } from './scheme06.ts'
import { scheme07 } from './scheme07.ts'

/** The EntryPoint versions that this gateway knows. */
const entryPoints = [
  { version: '0.6.0', entryPoint: entryPoint06Address, createScheme: scheme06 },
  { version: '0.7.0', entryPoint: entryPoint07Address, createScheme: scheme07 },
] as const

export declare namespace createSchemes {
  type Parameters = {
    chainId: number
    /** VerifyingPaymaster contracts by EntryPoint version. A version without one is not sponsored. */
    paymasters: { [version in (typeof entryPoints)[number]['version']]?: Address | undefined }
  }
}

/** How operations are sponsored: a scheme for each version that has a paymaster. */
export function createSchemes({ paymasters, chainId }: createSchemes.Parameters): PaymasterScheme[] {
  return entryPoints.flatMap(({ version, entryPoint, createScheme }) => {
    const paymaster = paymasters[version]
    return paymaster ? [createScheme({ entryPoint, paymaster, chainId })] : []
  })
}

/**
 * The scheme of an entry point.
 *
 * @throws `ENTRY_POINT_NOT_FOUND` when its operations are not sponsored.
 */
export function findScheme(schemes: readonly PaymasterScheme[], entryPoint: string): PaymasterScheme {
  const scheme = schemes.find((candidate) => isSame(candidate.entryPoint, entryPoint))
  if (scheme) return scheme
  const known = schemes.map((candidate) => candidate.entryPoint).join(', ')
  throw new RpcError(`Operations of the entry point ${entryPoint} are not sponsored here. Use one of: ${known}.`, {
    code: errorCodes.ENTRY_POINT_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}

/**
 * Refuses an entry point of no known version.
 *
 * @throws `ENTRY_POINT_NOT_FOUND`.
 */
export function requireEntryPoint(entryPoint: string): void {
  const known = entryPoints.map((candidate) => candidate.entryPoint)
  if (known.some((candidate) => isSame(candidate, entryPoint))) return
  throw new RpcError(`The entry point ${entryPoint} is not known here. Use one of: ${known.join(', ')}.`, {
    code: errorCodes.ENTRY_POINT_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
