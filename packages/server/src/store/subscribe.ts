import pg from 'pg'
import { type Logger, silentLogger } from '../http/logger.ts'

const reconnectMs = 1_000

/**
 * LISTENs on a channel over its own connection and calls `onNotify` for each NOTIFY, and once after every
 * (re)connection, because what was said in between is lost. Resolves when it is listening for the first time
 * or the first attempt failed; reconnects until closed.
 */
export async function subscribe(options: subscribe.Options): Promise<{ close(): Promise<void> }> {
  const { databaseUrl, channel, onNotify, logger = silentLogger } = options
  let closed = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    if (closed) return
    const next = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, keepAlive: true })
    let lost = false
    const onLost = () => {
      if (lost || closed) return
      lost = true
      logger.warn({ channel }, 'Lost the database notifications; connecting again')
      next.end().catch(() => undefined)
      timer = setTimeout(connect, reconnectMs)
    }
    next.on('error', onLost)
    next.on('end', onLost)
    next.on('notification', ({ payload }) => onNotify(payload ?? ''))
    client = next
    try {
      await next.connect()
      await next.query(`listen ${next.escapeIdentifier(channel)}`)
      onNotify('')
    } catch {
      onLost()
    }
  }

  await connect()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}

export declare namespace subscribe {
  type Options = {
    databaseUrl: string
    channel: string
    /** `payload` is empty after a (re)connection. */
    onNotify: (payload: string) => void
    logger?: Logger | undefined
  }
}
