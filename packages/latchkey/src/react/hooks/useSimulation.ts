import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { SendUserOperationParameters, SmartAccountClient } from '../../wallet/client/types.ts'
import type { SimulateAssetChangesResult } from '../../wire/gateway.ts'
import { useLatchkeyContext } from '../context.ts'
import { neverQueued } from '../query/mutations.ts'

type Input = SendUserOperationParameters['uo']

export declare namespace useSimulation {
  type Parameters = {
    client: SmartAccountClient | undefined
    /** The calls to simulate; undefined while there are none. They may be made inline: equal ones are simulated once. */
    uo: Input | undefined
    /**
     * How long the calls must stay the same before they are simulated, in milliseconds, as while a person types.
     *
     * @default 350
     */
    restMs?: number | undefined
  }
  type ReturnType = {
    /** What the account and others would gain and lose. Those of the calls before, while `isSimulating`. */
    changes: SimulateAssetChangesResult['changes'] | undefined
    /** Why the operation would fail, or could not be simulated. */
    error: { message: string } | null
    isSimulating: boolean
  }
}

const defaultRestMs = 350
/** How long a result holds, in milliseconds. */
const freshMs = 15_000

/**
 * What an operation would change, before anything is signed.
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
export function useSimulation({
  client,
  uo,
  restMs = defaultRestMs,
}: useSimulation.Parameters): useSimulation.ReturnType {
  const { queryClient } = useLatchkeyContext('useSimulation')
  const key = uo === undefined ? undefined : toKey(uo)
  const [rested, setRested] = useState<{ key: string; uo: Input }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the calls
  useEffect(() => {
    if (uo === undefined || key === undefined) return setRested(undefined)
    const timer = setTimeout(() => setRested({ key, uo }), restMs)
    return () => clearTimeout(timer)
  }, [key, restMs])

  const isReady = client !== undefined && rested !== undefined && rested.key === key
  const { data, error, isFetching } = useQuery(
    {
      queryKey: ['latchkey', 'simulation', client?.chain.id, client?.smartAccount.address, rested?.key],
      ...neverQueued,
      placeholderData: keepPreviousData,
      staleTime: freshMs,
      gcTime: freshMs,
      retry: false,
      queryFn: isReady ? () => client.simulateUserOperation({ uo: rested.uo }) : skipToken,
    },
    queryClient,
  )
  if (key === undefined) return { changes: undefined, error: null, isSimulating: false }
  const isSimulating = isFetching || !isReady
  return { changes: data?.changes, error: isSimulating ? null : (error ?? data?.error ?? null), isSimulating }
}

/** The same text for the same calls. */
function toKey(uo: Input): string {
  return JSON.stringify(uo, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}
