import { useQuery, useQueryClient } from '@tanstack/react-query'
import { request } from './request.ts'
import { noteDevnetTime } from './serverTime.ts'

/** A mail of the devnet's inbox. */
export type Mail = {
  id: string
  to: string
  from: string
  subject: string
  text: string
  html: string
  links: string[]
  code: string | null
  receivedAt: string
}

export type DevnetState = {
  chainId: number
  block: number
  /** Milliseconds by which the devnet is ahead of the machine. */
  aheadMs: number
  readyMs: number
  smtpPort: number
}

export const mailFrame = (id: string) => `/dev/inbox/api/messages/${encodeURIComponent(id)}/html`

export const useMails = (enabled: boolean) =>
  useQuery({
    queryKey: ['mails'],
    queryFn: () => request<Mail[]>('/dev/inbox/api/messages'),
    refetchInterval: 1_000,
    enabled,
  })

const openedKey = ['opened mails']

/** Returns ids of mails whose link or code was used on this page. */
export const useOpened = (): ReadonlySet<string> =>
  useQuery({ queryKey: openedKey, queryFn: () => new Set<string>(), staleTime: Infinity, gcTime: Infinity }).data ??
  new Set()

export function useNoteOpened(): (id: string) => void {
  const client = useQueryClient()
  return (id) => client.setQueryData<Set<string>>(openedKey, (before) => new Set([...(before ?? []), id]))
}

export const clearMails = () => request('/dev/inbox/api/messages', { method: 'DELETE' })

export const useDevnet = (enabled: boolean) =>
  useQuery({
    queryKey: ['devnet'],
    async queryFn() {
      const state = await request<DevnetState>('/dev/devnet')
      noteDevnetTime(state.aheadMs)
      return state
    },
    refetchInterval: 2_000,
    enabled,
  })

/** `by`: a duration such as '16m' or '2h'. */
export const advanceClock = (by: string) => request<DevnetState>('/dev/clock', { method: 'POST', body: { by } })

/** `wei`: in decimal digits. */
export const fund = (address: string, wei: string) =>
  request<{ balance: string }>('/dev/faucet', { method: 'POST', body: { address, wei } })
