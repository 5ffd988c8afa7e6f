import { useSyncExternalStore } from 'react'

/** Pages of the console in menu order. `only`: kind of server that has the page. */
export const places = [
  { path: '/', name: 'Overview' },
  { path: '/inbox', name: 'Inbox', only: 'dev' },
  { path: '/users', name: 'Users' },
  { path: '/operations', name: 'Operations' },
  { path: '/sponsorship', name: 'Sponsorship' },
  { path: '/projects', name: 'Projects' },
  { path: '/keys', name: 'API keys' },
  { path: '/webhooks', name: 'Webhooks' },
  { path: '/mails', name: 'Emails' },
  { path: '/security', name: 'Security' },
  { path: '/health', name: 'Health' },
  { path: '/operators', name: 'Operators' },
  { path: '/log', name: 'Audit log' },
  { path: '/devnet', name: 'Faucet and clock', only: 'dev' },
] as const

export type Place = (typeof places)[number]

const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}
globalThis.addEventListener?.('popstate', tell)

export function usePath(): URL {
  const href = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => location.href,
  )
  return new URL(href)
}

const orders = ['newest', 'oldest', 'most-gas', 'least-gas'] as const
export type Order = (typeof orders)[number]

export function useOrder(): Order {
  const order = usePath().searchParams.get('order')
  return orders.find((name) => name === order) ?? 'newest'
}

/** Returns the URL of a place, with the chosen project. */
export function toHref(path: string): string {
  const project = new URL(location.href).searchParams.get('project')
  const url = new URL(path, location.origin)
  if (project !== null && !url.searchParams.has('project')) url.searchParams.set('project', project)
  return url.pathname + url.search
}

/** Navigates within the console. With `replace`, adds no history entry. */
export function goTo(path: string, { replace = false }: { replace?: boolean } = {}): void {
  const href = toHref(path)
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  tell()
}

/** Sets a URL parameter, or removes it if the value is empty. */
export function setParameter(name: string, value: string): void {
  const url = new URL(location.href)
  if (value === '') url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  history.replaceState(null, '', url.pathname + url.search)
  tell()
}
