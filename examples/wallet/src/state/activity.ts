import { useSyncExternalStore } from 'react'
import type { Address, Hex } from 'viem'
import { forgetKept, keep, readKept } from './kept.ts'

/** What the account did, as kept on this device. Everything here is public on the chain. */
export type Activity = {
  id: string
  /** Default: an operation of the account. */
  kind?: 'passkey'
  title: string
  status: 'pending' | 'done' | 'failed'
  at: number
  userOpHash?: Hex
  block?: string
  /** Gas units, decimal. */
  gasUsed?: string
  isSponsored?: boolean
  note?: string
}

const prefix = 'latchkey-wallet:activity:'
const limit = 50
const none: readonly Activity[] = []

const listeners = new Set<() => void>()
// One parsed list a key: useSyncExternalStore needs the same object for the same text.
const parsed = new Map<string, { text: string | null; list: readonly Activity[] }>()

export function activityKey(chainId: number, account: Address): string {
  return `${prefix}${chainId}:${account}`
}

export function useActivity(key: string | null): readonly Activity[] {
  return useSyncExternalStore(subscribe, () => (key === null ? none : readActivity(key)))
}

export function addActivity(key: string, entry: Activity): void {
  write(key, [entry, ...readActivity(key)].slice(0, limit))
}

/** An entry that is gone, because somebody logged out meanwhile, stays gone. */
export function updateActivity(key: string, id: string, change: Partial<Activity>): void {
  write(
    key,
    readActivity(key).map((entry) => (entry.id === id ? { ...entry, ...change } : entry)),
  )
}

/** Resolves with the entry once it is no longer pending; with undefined when it is gone. */
export function whenSettled(key: string, id: string): Promise<Activity | undefined> {
  return new Promise((resolve) => {
    const look = () => {
      const entry = readActivity(key).find((one) => one.id === id)
      if (entry?.status === 'pending') return
      unsubscribe()
      resolve(entry)
    }
    const unsubscribe = subscribe(look)
    look()
  })
}

/** Forgets every account's list: this device shows nothing after logging out. */
export function clearActivity(): void {
  forgetKept(prefix)
  announce()
}

function write(key: string, list: readonly Activity[]): void {
  if (list.length > 0) keep(key, JSON.stringify(list))
  announce()
}

/** Newest first. */
export function readActivity(key: string): readonly Activity[] {
  const text = readKept(key)
  const known = parsed.get(key)
  if (known && known.text === text) return known.list
  const list = parse(text)
  parsed.set(key, { text, list })
  return list
}

function parse(text: string | null): readonly Activity[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value : none
  } catch {
    return none
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

function announce(): void {
  for (const listener of listeners) listener()
}
