import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { databaseTls } from './databaseTls.ts'

const reconnectMs = 1_000

export declare namespace listenToChannel {
  type Parameters = {
    databaseUrl: string
    channel: string
    /** Purpose, used in the connection's name. */
    purpose: string
    /** Called after each connect: earlier notifications may have been missed. */
    onConnect(): void | Promise<void>
    onNotification(payload: string): void
    /** Called when the connection breaks or fails. Reconnecting is automatic. */
    onBreak(): void
  }
  type ReturnType = { close(): Promise<void> }
}

/**
 * Listens to database notifications over its own connection, which reconnects automatically. Uses TLS to other
 * machines, see `databaseTls`.
 */
export function listenToChannel(parameters: listenToChannel.Parameters): listenToChannel.ReturnType {
  const { databaseUrl, channel, purpose, onConnect, onNotification, onBreak } = parameters
  const closing = new AbortController()
  let stop: (() => void) | undefined

  async function listen(): Promise<void> {
    while (!closing.signal.aborted) {
      await listenOnce().catch(onBreak)
      await setTimeout(reconnectMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  async function listenOnce(): Promise<void> {
    const connection = new pg.Client({
      ...databaseTls(databaseUrl),
      connectionTimeoutMillis: 5_000,
      application_name: `latchkey-server ${purpose}`,
      keepAlive: true,
    })
    const ended = new Promise<void>((resolve) => {
      connection.once('end', resolve)
      connection.once('error', () => resolve())
      stop = resolve
    })
    try {
      connection.on('notification', ({ payload = '' }) => onNotification(payload))
      // Waits for the connection, since closing one that is still connecting never returns.
      await connection.connect()
      if (closing.signal.aborted) return
      await connection.query(`listen ${channel}`)
      await onConnect()
      await ended
    } finally {
      await connection.end().catch(() => undefined)
    }
  }

  const listening = listen()
  return {
    async close() {
      closing.abort()
      stop?.()
      await listening
    },
  }
}
