import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Call, Client } from './useOperations.ts'

/** How long typing must rest before the chain is asked, in milliseconds. */
const restMs = 350
/** How long an answer counts as of just now, in milliseconds. */
const freshMs = 15_000

/** What the calls would change, as the chain says before anything is signed. Without calls there is nothing to ask. */
export function usePreview(client: Client | undefined, calls: readonly Call[] | null) {
  const text = calls === null ? null : JSON.stringify(calls)
  const [rested, setRested] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text])

  const { data, error, isFetching } = useQuery({
    queryKey: ['preview', client?.chain.id, client?.smartAccount.address, rested],
    enabled: client !== undefined && rested !== null && rested === text,
    placeholderData: keepPreviousData,
    staleTime: freshMs,
    gcTime: freshMs,
    retry: false,
    queryFn: () => (client as Client).simulateUserOperation({ uo: JSON.parse(rested as string) }),
  })
  if (text === null) return { isAsking: false }
  const isAsking = isFetching || rested !== text
  return { isAsking, changes: data?.changes, problem: isAsking ? undefined : (error ?? data?.error) }
}
