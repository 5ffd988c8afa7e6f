import { sql } from 'kysely'
import type { ErrorCode } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import type { Logger } from '../../platform/observability/logger.ts'

const flushMs = 5_000

/** A refused call of a project. */
export type Refusal = { projectId: string; code: ErrorCode }

export declare namespace countRefusals {
  type Parameters = { db: Db; logger: Logger }
  type ReturnType = {
    note(refusal: Refusal): void
    close(): Promise<void>
  }
}

/**
 * Counts refusals by project, code and hour. Counts in memory and writes to the database every five seconds, so that a
 * flood causes few statements. A killed replica loses its unwritten counts.
 */
export function countRefusals({ db, logger }: countRefusals.Parameters): countRefusals.ReturnType {
  const counts = new Map<string, Map<ErrorCode, number>>()
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    timer = undefined
    const rows = [...counts].flatMap(([project, codes]) =>
      [...codes].map(([code, count]) => ({ project, code, count })),
    )
    counts.clear()
    if (rows.length === 0) return
    await sql`insert into refusals as kept (project_id, hour, code, count)
      select project, date_bin('1 hour', latchkey_now(), 'epoch'), code, count
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as added (project text, code text, count bigint)
      order by project, code
      on conflict (project_id, hour, code) do update set count = kept.count + excluded.count`
      .execute(db)
      .catch((error: unknown) => logger.warn({ error }, 'Refusals could not be counted'))
  }

  return {
    note({ projectId, code }) {
      const codes = counts.get(projectId) ?? new Map<ErrorCode, number>()
      counts.set(projectId, codes.set(code, (codes.get(code) ?? 0) + 1))
      timer ??= setTimeout(flush, flushMs).unref()
    },
    async close() {
      clearTimeout(timer)
      await flush()
    },
  }
}
