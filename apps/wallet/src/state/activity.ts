import type { OperationRecord } from 'latchkey'
import { useMemo, useSyncExternalStore } from 'react'
import type { Address } from 'viem'
import { readStored, removeStored, store } from './storage.ts'

/** Activity other than an operation, stored on this device. Latchkey itself stores operations. */
export type Note = { id: string; kind: 'passkey'; title: string; at: number; note: string }

const prefix = 'latchkey-wallet:activity:'
const limit = 50
const none: readonly Note[] = []

const listeners = new Set<() => void>()

export function activityKey(chainId: number, account: Address): string {
  return `${prefix}${chainId}:${account}`
}

/** Returns the notes, newest first. */
export function useNotes(key: string): readonly Note[] {
  const text = useSyncExternalStore(subscribe, () => readStored(key))
  return useMemo(() => parse(text), [text])
}

export function addNote(key: string, note: Note): void {
  store(key, JSON.stringify([note, ...parse(readStored(key))].slice(0, limit)))
  notify()
}

/** Removes the notes of all accounts after a sign-out. Latchkey itself removes its operation records. */
export function clearNotes(): void {
  removeStored(prefix)
  notify()
}

/** Checks whether two operations have the same nonce, so that only one of them can be included. */
export const isRival = (one: OperationRecord, other: OperationRecord): boolean =>
  one.id !== other.id && one.request !== undefined && one.request.nonce === other.request?.nonce

/** Removes pending and failed operations that another operation has replaced. */
export function withoutReplaced(operations: readonly OperationRecord[]): readonly OperationRecord[] {
  return operations.filter((one, index) => {
    const newer = operations.slice(0, index).some((other) => isRival(one, other) && isOpen(other))
    const isIncluded = operations.some((other) => isRival(one, other) && other.state === 'included')
    return !((newer && isWaiting(one)) || (isIncluded && (isWaiting(one) || one.state === 'failed')))
  })
}

/** Checks whether an operation is signed and its outcome is unknown. */
export const isWaiting = ({ state }: OperationRecord): boolean => state === 'signed' || state === 'sent'
const isOpen = (operation: OperationRecord) => isWaiting(operation) || operation.state === 'included'

function parse(text: string | null): readonly Note[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((one) => one?.kind === 'passkey') : none
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
