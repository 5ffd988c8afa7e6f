import { errorCodes } from 'latchkey-protocol'
import type { Address } from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
} from 'viem/account-abstraction'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { createUpstream } from '../rpc/createUpstream.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { erc7677For06, erc7677ForPacked } from './erc7677.ts'
import { latchkey06, latchkey09, latchkeyPacked } from './latchkey.ts'
import type { Paymaster } from './Paymaster.ts'
import type { PaymasterScheme } from './PaymasterScheme.ts'
import { packedScheme } from './packedScheme.ts'
import { scheme06 } from './scheme06.ts'
import { verifying06, verifying07 } from './verifying.ts'

/** Supported EntryPoint versions, each with its kinds of paymasters. */
const entryPoints = [
  {
    version: '0.6.0',
    entryPoint: entryPoint06Address,
    createScheme: (place: Place, options: PaymasterOptions) =>
      scheme06({ ...place, paymaster: createPaymaster(place, options, [latchkey06, verifying06, erc7677For06]) }),
  },
  {
    version: '0.7.0',
    entryPoint: entryPoint07Address,
    createScheme: (place: Place, options: PaymasterOptions) =>
      packedScheme({
        ...place,
        version: '0.7',
        paymaster: createPaymaster(place, options, [latchkeyPacked, verifying07, erc7677ForPacked]),
      }),
  },
  {
    version: '0.8.0',
    entryPoint: entryPoint08Address,
    createScheme: (place: Place, options: PaymasterOptions) =>
      packedScheme({
        ...place,
        version: '0.8',
        paymaster: createPaymaster(place, options, [latchkeyPacked, noSample, erc7677ForPacked]),
      }),
  },
  {
    version: '0.9.0',
    entryPoint: entryPoint09Address,
    createScheme: (place: Place, options: PaymasterOptions) =>
      packedScheme({
        ...place,
        version: '0.9',
        paymaster: createPaymaster(place, options, [latchkey09, noSample, erc7677ForPacked]),
      }),
  },
] as const

/** Refuses the sample paymaster for EntryPoint 0.8 and 0.9, since its authors published it only for 0.6 and 0.7. */
function noSample(): never {
  throw configInvalid(
    'a paymaster of kind verifying works with EntryPoint 0.6 and 0.7: for 0.8 and 0.9 use latchkey or erc7677',
  )
}

export type EntryPointVersion = (typeof entryPoints)[number]['version']

/** Addresses of the supported EntryPoints. */
export const entryPointAddresses: readonly Address[] = entryPoints.map(({ entryPoint }) => entryPoint)

type Place = { entryPoint: Address; chainId: number }

/** Paymaster for the operations of an entry point. A plain address selects a paymaster of kind `verifying`. */
export type PaymasterOptions =
  | Address
  /** `latchkey`: our own contract. `verifying`: the sample VerifyingPaymaster of the EntryPoint's authors. */
  | { kind: 'latchkey' | 'verifying'; address: Address }
  /**
   * Another provider's paymaster service (ERC-7677). `url` may contain a key and is never shown. `context` is sent with
   * each request and may contain, for example, the id of a policy at the service.
   */
  | { kind: 'erc7677'; url: string; context?: Readonly<Record<string, unknown>> | undefined }

export declare namespace createSchemes {
  type Parameters = {
    chainId: number
    /** Paymasters by EntryPoint version. Operations of a version without one are not sponsored. */
    paymasters: { [version in EntryPointVersion]?: PaymasterOptions | undefined }
  }
}

export function createSchemes({ paymasters, chainId }: createSchemes.Parameters): PaymasterScheme[] {
  return entryPoints.flatMap(({ version, entryPoint, createScheme }) => {
    const options = paymasters[version]
    return options ? [createScheme({ entryPoint, chainId }, options)] : []
  })
}

const serviceTimeoutMs = 10_000

function createPaymaster<operation, settled extends operation>(
  place: Place,
  options: PaymasterOptions,
  [latchkey, verifying, erc7677]: [
    (parameters: Place & { address: Address }) => Paymaster<operation, settled>,
    (parameters: { address: Address }) => Paymaster<operation, settled>,
    (parameters: Parameters<typeof erc7677For06>[0]) => Paymaster<operation, settled>,
  ],
): Paymaster<operation, settled> {
  if (typeof options === 'string') return verifying({ address: options })
  if (options.kind === 'erc7677') {
    const service = createUpstream({ kind: 'paymaster', urls: [options.url], timeoutMs: serviceTimeoutMs })
    return erc7677({ ...place, service, context: options.context ?? {} })
  }
  const { address } = options
  return options.kind === 'latchkey' ? latchkey({ ...place, address }) : verifying({ address })
}

/** Returns the version of a supported EntryPoint, as in metrics and settings. */
export function findVersion(entryPoint: string): EntryPointVersion | undefined {
  return entryPoints.find((candidate) => isSame(candidate.entryPoint, entryPoint))?.version
}

/**
 * Returns the scheme of an entry point.
 * @throws `ENTRY_POINT_NOT_FOUND` if its operations are not sponsored.
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
 * Refuses an unknown entry point.
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
