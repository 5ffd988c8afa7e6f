import { useSyncExternalStore } from 'react'
import type { Address, Hex } from 'viem'
import { readStored, removeStored, store } from './storage.ts'

/** What the account did, as stored on this device. All of it is public on the chain. */
export type Activity = {
  id: string
  /** Absent for an operation of the account. */
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
  saveActivity(key, [entry, ...readActivity(key)].slice(0, limit))
}

/** Does nothing when the entry was removed meanwhile, by logging out. */
export function updateActivity(key: string, id: string, change: Partial<Activity>): void {
  saveActivity(
    key,
    readActivity(key).map((entry) => (entry.id === id ? { ...entry, ...change } : entry)),
  )
}

/** Resolves with the entry once it is no longer pending; with undefined when it was removed. */
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

/** Removes every account's list: this device shows nothing after logging out. */
export function clearActivity(): void {
  removeStored(prefix)
  notify()
}

function saveActivity(key: string, list: readonly Activity[]): void {
  if (list.length > 0) store(key, JSON.stringify(list))
  notify()
}

/** Newest first. */
export function readActivity(key: string): readonly Activity[] {
  const text = readStored(key)
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

function notify(): void {
  for (const listener of listeners) listener()
}
