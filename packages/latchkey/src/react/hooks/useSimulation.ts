import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import type { SimulateAssetChangesResult } from 'latchkey-protocol'
import { useEffect, useState } from 'react'
import { getSimulationQueryOptions, toUserOperationKey } from '../../query/queries.ts'
import type { SendUserOperationParameters, SmartAccountClient } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'

type Input = SendUserOperationParameters['uo']

export declare namespace useSimulation {
  type Parameters<uo = Input> = {
    client: SmartAccountClient | undefined
    /**
     * Calls to simulate; undefined skips the simulation. The array may be created inline: calls with equal content are
     * simulated once.
     */
    uo: SendUserOperationParameters<uo>['uo'] | undefined
    /**
     * Debounce delay before a simulation, in milliseconds. It saves requests while the user types.
     *
     * @default 350
     */
    restMs?: number | undefined
  }
  type ReturnType = {
    /**
     * Asset changes of the account and other addresses. While `isSimulating`, these are the changes of the previous
     * calls.
     */
    changes: SimulateAssetChangesResult['changes'] | undefined
    /** Reason why the operation would fail or could not be simulated. */
    error: { message: string } | null
    isSimulating: boolean
  }
}

const defaultRestMs = 350

/**
 * Simulates an operation and returns its asset changes before the user signs.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSimulation, useSmartAccountClient } from 'latchkey/react'
 *
 * export function Preview({ target, data }: { target: `0x${string}`; data: `0x${string}` }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { changes = [], error, isSimulating } = useSimulation({ client, uo: { target, data } })
 *   if (error) return <p>This would fail: {error.message}</p>
 *   return <p aria-busy={isSimulating}>{changes.map(({ symbol, amount }) => `${amount} ${symbol}`).join()}</p>
 * }
 * ```
 */
export function useSimulation<const uo>({
  client,
  uo,
  restMs = defaultRestMs,
}: useSimulation.Parameters<uo>): useSimulation.ReturnType {
  const { queryClient } = useLatchkeyContext('useSimulation')
  const key = uo === undefined ? undefined : toUserOperationKey(uo)
  const [rested, setRested] = useState<{ key: string; uo: Input }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the calls
  useEffect(() => {
    if (uo === undefined || key === undefined) return setRested(undefined)
    const timer = setTimeout(() => setRested({ key, uo }), restMs)
    return () => clearTimeout(timer)
  }, [key, restMs])

  const isReady = client !== undefined && rested !== undefined && rested.key === key
  const known = client && rested && getSimulationQueryOptions({ client, uo: rested.uo })
  const { data, error, isFetching } = useQuery(
    {
      ...(known ?? { queryKey: ['latchkey', 'simulation'] }),
      placeholderData: keepPreviousData,
      queryFn: known && isReady ? known.queryFn : skipToken,
      // TanStack Query's default is false with the network mode `always`.
      refetchOnReconnect: true,
    },
    queryClient,
  )
  if (key === undefined) return { changes: undefined, error: null, isSimulating: false }
  const isSimulating = isFetching || !isReady
  return { changes: data?.changes, error: isSimulating ? null : (error ?? data?.error ?? null), isSimulating }
}
