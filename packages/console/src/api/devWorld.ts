import { useQuery } from '@tanstack/react-query'
import { request } from './request.ts'

/** A mail of the world's inbox. */
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

export type WorldState = {
  chainId: number
  block: number
  /** How far the world's time is ahead of the machine's. */
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

export const clearMails = () => request('/dev/inbox/api/messages', { method: 'DELETE' })

export const useWorld = (enabled: boolean) =>
  useQuery({
    queryKey: ['world'],
    queryFn: () => request<WorldState>('/dev/world'),
    refetchInterval: 2_000,
    enabled,
  })

/** `by`: such as '16m' or '2h'. */
export const advanceClock = (by: string) => request<WorldState>('/dev/clock', { method: 'POST', body: { by } })

/** `wei`: in decimal digits. */
export const fund = (address: string, wei: string) =>
  request<{ balance: string }>('/dev/faucet', { method: 'POST', body: { address, wei } })
