import type { Db } from '../openStore.ts'

/**
 * Waits until the mail of an activity was sent or failed. Polls, at first every 10 ms, later every 100 ms;
 * answers `queued` when the time is over, `missing` when the activity has no mail.
 */
export async function waitForMail(db: Db, parameters: waitForMail.Parameters): Promise<waitForMail.ReturnType> {
  const deadline = Date.now() + (parameters.timeoutMs ?? 10_000)
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    const row = await db
      .selectFrom('mail_outbox')
      .select('state')
      .where('activity_id', '=', parameters.activityId)
      .executeTakeFirst()
    if (!row) return 'missing'
    if (row.state !== 'queued' || Date.now() + pauseMs > deadline) return row.state
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

export declare namespace waitForMail {
  type Parameters = {
    activityId: string
    /** @default 10000 */
    timeoutMs?: number | undefined
  }
  type ReturnType = 'sent' | 'failed' | 'queued' | 'missing'
}
