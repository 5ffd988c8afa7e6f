import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  AdminApiKey,
  AdminChain,
  AdminConsoleOperator,
  AdminDelivery,
  AdminFoundPerson,
  AdminHealth,
  AdminLogChain,
  AdminLogEntry,
  AdminMail,
  AdminOperation,
  AdminOperationCalls,
  AdminOperator,
  AdminOverview,
  AdminPage,
  AdminPerson,
  AdminPolicy,
  AdminProject,
  AdminSecurityEvent,
  AdminShownOperation,
  AdminSpend,
  AdminWebhook,
  OperatorRole,
} from 'latchkey-protocol/admin'
import { useEffect, useState } from 'react'
import { useOrder } from '../places.ts'
import { followEvents } from './followEvents.ts'
import { askAdmin, request, setPageToken, toQuery } from './request.ts'

/** Configuration from the page's server. */
export type ConsoleConfig = {
  /** Whether the server is a local devnet, with an inbox, a faucet and a movable clock. */
  isDevnet?: boolean
  walletUrl?: string
  chainId?: number
  /** Set if operators sign in to this console. */
  signIn?: 'passkey'
  /** Token of the signed-in operator. */
  pageToken?: string | undefined
  /** Whether the session has ended. */
  isEnded?: boolean
}

export const configKey = ['config'] as const

export type Operator = { id: string; name: string; role: OperatorRole }
/** Filter of `GET /operations`; empty members do not restrict. */
export type OperationFilter = Partial<
  Record<'projectId' | 'state' | 'sender' | 'chainId' | 'policyId' | 'from' | 'to', string>
>

export const useConfig = () =>
  useQuery({
    queryKey: configKey,
    async queryFn() {
      const config = await request<ConsoleConfig>('/config.json')
      setPageToken(config.pageToken)
      return config
    },
    staleTime: Infinity,
  })

/** Returns whether the page may query: immediately without a login, otherwise after the sign-in. */
function useMayAsk(): boolean {
  const { data: config } = useConfig()
  return config !== undefined && (config.signIn === undefined || config.pageToken !== undefined)
}

export const useOperator = () =>
  useQuery({
    queryKey: ['operator'],
    queryFn: () => askAdmin<Operator>('/operator'),
    staleTime: 60_000,
    enabled: useMayAsk(),
  })

export const useProjects = () =>
  useQuery({
    queryKey: ['projects'],
    queryFn: () => askAdmin<AdminPage<AdminProject>>(`/projects${toQuery({ limit: 200 })}`),
    staleTime: 30_000,
  })

/** Returns a list that loads a page at a time. */
function useList<row>(key: readonly unknown[], toPath: (cursor: string | undefined) => string, enabled = true) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => askAdmin<AdminPage<row>>(toPath(pageParam), { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
  })
}

type Page = { cursor: string | undefined; order: 'newest' | 'oldest' }

/** Returns a paged list by time, in the order from the URL. */
function useTimedList<row>(key: readonly unknown[], toPath: (page: Page) => string, enabled?: boolean) {
  const order = useOrder() === 'oldest' ? 'oldest' : 'newest'
  return useList<row>([...key, order], (cursor) => toPath({ cursor, order }), enabled)
}

const inProject = (projectId: string) => `/projects/${encodeURIComponent(projectId)}`

/** Sorts by time, or by gas, which needs a project. */
export function useOperations(filter: OperationFilter) {
  const chosen = useOrder()
  const order = filter.projectId || chosen === 'oldest' ? chosen : 'newest'
  return useList<AdminOperation>(
    ['operations', filter, order],
    (cursor) => `/operations${toQuery({ ...filter, cursor, order })}`,
  )
}

export const useOperation = (userOpHash: string) =>
  useQuery({
    queryKey: ['operations', userOpHash],
    queryFn: () => askAdmin<AdminShownOperation>(`/operations/${userOpHash}`),
    // The receipt is read shortly after the block, without an event.
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.state === 'included' && data.outcome === null && dataUpdateCount < 15 ? 2_000 : false,
  })

/**
 * Refetches when the state changes: a refusal clears the call data, and a bundler's acceptance sets it. Pending
 * operations do not change.
 */
export const useOperationCalls = (userOpHash: string, state: string) =>
  useQuery({
    queryKey: ['calls', userOpHash, state],
    queryFn: () => askAdmin<AdminOperationCalls>(`/operations/${userOpHash}/calls`),
    staleTime: Infinity,
  })

export const usePolicies = (projectId: string) =>
  useList<AdminPolicy>(
    ['policies', projectId],
    (cursor) => `${inProject(projectId)}/policies${toQuery({ cursor })}`,
    projectId !== '',
  )

export const useApiKeys = (projectId: string) =>
  useList<AdminApiKey>(
    ['api-keys', projectId],
    (cursor) => `${inProject(projectId)}/api-keys${toQuery({ cursor })}`,
    projectId !== '',
  )

/** Covers the last 30 days in one response, so that no day is missing. */
export const useSpend = (projectId: string, policyId?: string) =>
  useQuery({
    queryKey: ['spend', projectId, policyId],
    async queryFn({ signal }) {
      const items: AdminSpend[] = []
      let cursor: string | undefined
      for (let page = 0; page < mostSpendPages; page++) {
        const path = `${inProject(projectId)}/spend${toQuery({ policyId, limit: 200, cursor })}`
        const found = await askAdmin<AdminPage<AdminSpend>>(path, { signal })
        items.push(...found.items)
        if (found.next === null) break
        cursor = found.next
      }
      return items
    },
    enabled: projectId !== '',
  })

const mostSpendPages = 25

export type Step = AdminOverview['step']

export const useOverview = (projectId: string, step: Step) =>
  useQuery({
    queryKey: ['overview', projectId, step],
    queryFn: () => askAdmin<AdminOverview>(`/overview${toQuery({ projectId, step })}`),
    placeholderData: keepPreviousData,
    enabled: projectId !== '',
  })

export const useOperators = (enabled: boolean) =>
  useQuery({
    queryKey: ['operators'],
    queryFn: () => askAdmin<{ items: AdminOperator[] }>('/operators'),
    enabled,
  })

export const useConsoleOperators = () =>
  useQuery({
    queryKey: ['operators', 'console'],
    queryFn: () => askAdmin<{ items: AdminConsoleOperator[] }>('/console-operators'),
  })

/** Milliseconds between reads. Servers update health and chain states every 30 seconds. */
const healthMs = 10_000

export const useHealth = () =>
  useQuery({ queryKey: ['health'], queryFn: () => askAdmin<AdminHealth>('/health'), refetchInterval: healthMs })

export const useChains = () =>
  useQuery({
    queryKey: ['chains'],
    queryFn: () => askAdmin<{ items: AdminChain[] }>('/chains'),
    refetchInterval: healthMs,
  })

/** `by`: an e-mail, address or organization id, as `GET /users` accepts them. */
export const useFoundUsers = (by: Readonly<Record<string, string>> | undefined) =>
  useQuery({
    queryKey: ['users', by],
    queryFn: () => askAdmin<{ items: AdminFoundPerson[] }>(`/users${toQuery(by ?? {})}`),
    enabled: by !== undefined,
  })

export const useUser = (organizationId: string) =>
  useQuery({
    queryKey: ['users', organizationId],
    queryFn: () => askAdmin<AdminPerson>(`/users/${organizationId}`),
  })

export const useOutbox = (state: string) =>
  useTimedList<AdminMail>(['outbox', state], (page) => `/mails${toQuery({ state, ...page })}`)

export const useSecurityEvents = (event: string, enabled: boolean) =>
  useTimedList<AdminSecurityEvent>(
    ['security-events', event],
    (page) => `/security-events${toQuery({ event, ...page })}`,
    enabled,
  )

export const useWebhooks = (projectId: string) =>
  useQuery({
    queryKey: ['webhooks', projectId],
    queryFn: () => askAdmin<{ items: AdminWebhook[] }>(`${inProject(projectId)}/webhooks`),
    enabled: projectId !== '',
  })

export const toWebhookPath = (projectId: string, endpointId: string) =>
  `${inProject(projectId)}/webhooks/${encodeURIComponent(endpointId)}`

export const useDeliveries = (projectId: string, endpointId: string, state: string) =>
  useTimedList<AdminDelivery>(
    ['webhooks', projectId, endpointId, state],
    (page) => `${toWebhookPath(projectId, endpointId)}/deliveries${toQuery({ state, ...page })}`,
  )

export type LogFilter = { operatorId?: string | undefined; projectId?: string | undefined }

export const useLog = (filter: LogFilter) =>
  useTimedList<AdminLogEntry>(['log', filter], (page) => `/log${toQuery({ ...filter, ...page })}`)

export const useLogChain = () =>
  useQuery({ queryKey: ['log', 'chain'], queryFn: () => askAdmin<AdminLogChain>('/log/chain') })

/** Refetches operations, spend and overview as operations change. Returns whether the stream is open. */
export function useLiveOperations(projectId: string): boolean {
  const client = useQueryClient()
  const mayAsk = useMayAsk()
  const [isLive, setLive] = useState(false)
  useEffect(() => {
    if (projectId === '' || !mayAsk) return
    const ending = new AbortController()
    let waiting: ReturnType<typeof setTimeout> | undefined
    function refresh(): void {
      waiting = undefined
      for (const name of ['operations', 'spend', 'overview']) void client.invalidateQueries({ queryKey: [name] })
    }
    // One operation changes several times within a second.
    const onChange = () => {
      waiting ??= setTimeout(refresh, 250)
    }
    void followEvents(projectId, {
      signal: ending.signal,
      onChange,
      onState: setLive,
      // This call detects an ended session.
      onRefused: () => void client.invalidateQueries({ queryKey: ['operator'] }),
    })
    return () => {
      ending.abort()
      clearTimeout(waiting)
      setLive(false)
    }
  }, [projectId, mayAsk, client])
  return isLive
}
