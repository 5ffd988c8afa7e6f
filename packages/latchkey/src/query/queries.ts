import { callsStatus, type SimulateAssetChangesResult } from 'latchkey-protocol'
import type { Authenticator, ConnectedProvider, SessionKey } from '../signer/Credentials.ts'
import type { User } from '../signer/types.ts'
import { providerChunk } from '../wallet/chunks.ts'
import type { SendUserOperationParameters, SmartAccountClient } from '../wallet/client/types.ts'
import type { CallsStatus } from '../wallet/provider/clientCalls.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { neverQueued } from './configMutation.ts'
import { requireSigner } from './requireSigner.ts'

/** Options of a query for TanStack Query, for any framework. There are no automatic retries. */
export type ConfigQuery<data> = {
  readonly queryKey: readonly unknown[]
  queryFn(this: void): Promise<data>
  readonly networkMode: 'always'
  readonly retry: false
}

export declare namespace getAuthMethodsQueryOptions {
  /** User of the config. It is part of the query key. */
  type Parameters = { user: User | null }
  type ReturnType = ConfigQuery<{ passkeys: Authenticator[]; sessions: SessionKey[] }> & { staleTime: number }
}

/**
 * Returns the options of the query behind `useAuthMethods`, which loads the user's passkeys and sessions. In a passkey
 * session, each list prompts the user.
 *
 * @throws `SIGNER_NOT_CONNECTED`, `CLIENT_ONLY`, `SIGNER_NOT_AUTHENTICATED`, `PASSKEY_CANCELLED`, `HTTP_FAILED`,
 * `NETWORK_UNREACHABLE`, `TIMEOUT`, `RESPONSE_INVALID`.
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
    // In a passkey session, each refetch would prompt the user.
    staleTime: Number.POSITIVE_INFINITY,
    async queryFn() {
      const signer = requireSigner(config)
      const passkeys = await signer.listAuthenticators()
      return { passkeys, sessions: await signer.listSessions() }
    },
  }
}

export declare namespace getProvidersQueryOptions {
  /** User of the config. It is part of the query key. */
  type Parameters = { user: User | null }
  type ReturnType = ConfigQuery<ConnectedProvider[]> & { staleTime: number }
}

/**
 * Returns the options of the query behind `useConnectedProviders`, which loads the user's accounts at identity
 * providers. In a passkey session, the query prompts the user.
 *
 * @throws `SIGNER_NOT_CONNECTED`, `CLIENT_ONLY`, `SIGNER_NOT_AUTHENTICATED`, `PASSKEY_CANCELLED`, `HTTP_FAILED`,
 * `NETWORK_UNREACHABLE`, `TIMEOUT`, `RESPONSE_INVALID`.
 *
 * @example
 * ```ts
 * import { getSigner } from 'latchkey'
 * import { getProvidersQueryOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { queryFn } = getProvidersQueryOptions(config, { user: getSigner(config)?.user ?? null })
 * console.log((await queryFn()).map(({ provider }) => provider))
 * ```
 */
export function getProvidersQueryOptions(
  config: LatchkeyConfig,
  { user }: getProvidersQueryOptions.Parameters,
): getProvidersQueryOptions.ReturnType {
  return {
    ...neverQueued,
    queryKey: ['latchkey', 'providers', user?.orgId, user?.userId],
    retry: false,
    // In a passkey session, each refetch would prompt the user.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => requireSigner(config).listProviders(),
  }
}

export declare namespace getCallsStatusQueryOptions {
  type Parameters = {
    client: SmartAccountClient
    /** Call id returned by `sendCalls`. */
    id: string
  }
  type ReturnType = ConfigQuery<CallsStatus> & {
    refetchInterval(this: void, query: { state: { data: CallsStatus | undefined } }): number | false
  }
}

const intervalMs = 1000

/**
 * Returns the options of the query behind `useSendCalls`, which polls the status of calls each second until they are in
 * a block.
 *
 * @throws `CHUNK_FAILED`; a `ProviderRpcError`, with the number 5730 for an unknown id.
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
 * Returns the options of the query behind `useSimulation`. The query returns the asset changes of an operation without
 * sending it. The result stays fresh for 15 seconds.
 *
 * @throws Errors of `simulateUserOperation`.
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

/** Returns a query key. Calls with equal content have the same key. */
export function toUserOperationKey(uo: SendUserOperationParameters['uo']): string {
  return JSON.stringify(uo, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}
