import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../../http/logger.ts'
import { databaseTls } from '../../store/databaseTls.ts'

const channel = 'latchkey_operations'
const reconnectMs = 1_000

/** Wakes those who wait for a change of an operation or of a project's operations. */
export type OperationNews = {
  /** Calls `wake` at each change until the returned function is called. Without `userOpHash`: of any operation. */
  subscribe(topic: { projectId: string; userOpHash?: string | undefined }, wake: () => void): () => void
  /** Wakes all: changes may have been missed. */
  wakeAll(): void
  close(): Promise<void>
}

export declare namespace listenForOperations {
  type Parameters = { databaseUrl: string; logger: Logger }
}

/**
 * Listens to the notifications of migration 0006 over one connection of its own, opened with the first subscriber and
 * opened again when it breaks; off this machine by TLS, see `databaseTls`. A notification carries ids only; who is woken reads the database.
 */
export function listenForOperations({ databaseUrl, logger }: listenForOperations.Parameters): OperationNews {
  const wakers = new Map<string, Set<() => void>>()
  const closing = new AbortController()
  let listening: Promise<void> | undefined
  let client: pg.Client | undefined

  function wake(topic: string): void {
    for (const waker of wakers.get(topic) ?? []) waker()
  }

  function wakeAll(): void {
    for (const some of wakers.values()) for (const waker of some) waker()
  }

  async function listen(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await listenOnce()
      } catch {
        logger.warn({}, 'News of operations are interrupted: the database connection broke; it is opened again')
      }
      await setTimeout(reconnectMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  /** Until the connection breaks. */
  async function listenOnce(): Promise<void> {
    const connection = new pg.Client({
      ...databaseTls(databaseUrl),
      connectionTimeoutMillis: 5_000,
      application_name: 'latchkey-server news',
      keepAlive: true,
    })
    client = connection
    const ended = new Promise<void>((resolve) => {
      connection.once('end', resolve)
      connection.once('error', () => resolve())
    })
    try {
      connection.on('notification', ({ payload = '' }) => {
        const [projectId, userOpHash] = JSON.parse(payload) as [string, string]
        wake(toTopic({ projectId }))
        wake(toTopic({ projectId, userOpHash }))
      })
      await connection.connect()
      await connection.query(`listen ${channel}`)
      wakeAll()
      await ended
    } finally {
      await connection.end().catch(() => undefined)
    }
  }

  return {
    subscribe(subject, waker) {
      listening ??= listen()
      const topic = toTopic(subject)
      const some = wakers.get(topic) ?? new Set()
      wakers.set(topic, some.add(waker))
      return () => {
        some.delete(waker)
        if (some.size === 0 && wakers.get(topic) === some) wakers.delete(topic)
      }
    },
    wakeAll,
    async close() {
      closing.abort()
      wakeAll()
      await client?.end().catch(() => undefined)
      await listening
    },
  }
}

const toTopic = ({ projectId, userOpHash = '' }: { projectId: string; userOpHash?: string | undefined }) =>
  `${userOpHash} ${projectId}`
