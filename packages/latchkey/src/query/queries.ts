import { callsStatus, type SimulateAssetChangesResult } from 'latchkey-protocol'
import type { Authenticator, SessionKey, User } from '../signer/types.ts'
import { providerChunk } from '../wallet/chunks.ts'
import type { SendUserOperationParameters, SmartAccountClient } from '../wallet/client/types.ts'
import type { CallsStatus } from '../wallet/provider/clientCalls.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { neverQueued } from './configMutation.ts'
import { requireSigner } from './requireSigner.ts'

/** Options of a query for TanStack Query, whichever framework it is used with. None asks again by itself after a failure. */
export type ConfigQuery<data> = {
  readonly queryKey: readonly unknown[]
  queryFn(this: void): Promise<data>
  readonly networkMode: 'always'
  readonly retry: false
}

export declare namespace getAuthMethodsQueryOptions {
  /** Whose lists they are: the user of the config, for the key. */
  type Parameters = { user: User | null }
  type ReturnType = ConfigQuery<{ passkeys: Authenticator[]; sessions: SessionKey[] }> & { staleTime: number }
}

/**
 * Options of the query of `useAuthMethods`: passkeys and sessions of the person. In a passkey session each list is a prompt.
 *
 * @example
 * ```ts
 * import { getSigner } from 'latchkey'
 * import { getAuthMethodsQueryOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { queryFn } = getAuthMethodsQueryOptions(config, { user: getSigner(config)?.user ?? null })
 * const { passkeys, sessions } = await queryFn()
 * console.log(passkeys.length, sessions.length)
 * ```
 */
export function getAuthMethodsQueryOptions(
  config: LatchkeyConfig,
  { user }: getAuthMethodsQueryOptions.Parameters,
): getAuthMethodsQueryOptions.ReturnType {
  return {
    ...neverQueued,
    queryKey: ['latchkey', 'authMethods', user?.orgId, user?.userId],
    retry: false,
    // What a query of a passkey session asks for is a prompt.
    staleTime: Number.POSITIVE_INFINITY,
    async queryFn() {
      const signer = requireSigner(config)
      const passkeys = await signer.listAuthenticators()
      return { passkeys, sessions: await signer.listSessions() }
    },
  }
}

export declare namespace getCallsStatusQueryOptions {
  type Parameters = {
    client: SmartAccountClient
    /** Of `sendCalls`. */
    id: string
  }
  type ReturnType = ConfigQuery<CallsStatus> & {
    refetchInterval(this: void, query: { state: { data: CallsStatus | undefined } }): number | false
  }
}

const intervalMs = 1000

/**
 * Options of the query of `useSendCalls`: the status of calls, asked for each second until they are in a block.
 *
 * @example
 * ```ts
 * import { getCallsStatusQueryOptions, sendCallsMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const to = '0x000000000000000000000000000000000000dEaD'
 * const { id } = await sendCallsMutationOptions(config, { client }).mutationFn({ calls: [{ to, value: 1n }] })
 * const { status } = await getCallsStatusQueryOptions({ client, id }).queryFn()
 * console.log(status)
 * ```
 */
export function getCallsStatusQueryOptions({
  client,
  id,
}: getCallsStatusQueryOptions.Parameters): getCallsStatusQueryOptions.ReturnType {
  return {
    ...neverQueued,
    queryKey: ['latchkey', 'calls', id],
    retry: false,
    refetchInterval: ({ state }) => (state.data && state.data.status >= callsStatus.confirmed ? false : intervalMs),
    async queryFn() {
      const { getCallsStatus } = await providerChunk.load()
      return getCallsStatus(client, id)
    },
  }
}

export declare namespace getSimulationQueryOptions {
  type Parameters<uo = SendUserOperationParameters['uo']> = {
    client: SmartAccountClient
    uo: SendUserOperationParameters<uo>['uo']
  }
  type ReturnType = ConfigQuery<SimulateAssetChangesResult> & { staleTime: number; gcTime: number }
}

const freshMs = 15_000

/**
 * Options of the query of `useSimulation`: what an operation would change, without sending it. It counts for 15 seconds.
 *
 * @example
 * ```ts
 * import { getSimulationQueryOptions } from 'latchkey/query'
 * import { client } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const
 * const { changes, error } = await getSimulationQueryOptions({ client, uo }).queryFn()
 * console.log(error ?? changes)
 * ```
 */
export function getSimulationQueryOptions<const uo>({
  client,
  uo,
}: getSimulationQueryOptions.Parameters<uo>): getSimulationQueryOptions.ReturnType {
  return {
    ...neverQueued,
    queryKey: ['latchkey', 'simulation', client.chain.id, client.smartAccount.address, toUserOperationKey(uo)],
    retry: false,
    staleTime: freshMs,
    gcTime: freshMs,
    queryFn: () => client.simulateUserOperation({ uo }),
  }
}

/** The same text for calls that mean the same. */
export function toUserOperationKey(uo: SendUserOperationParameters['uo']): string {
  return JSON.stringify(uo, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}
