import { sql } from 'kysely'
import type { Db } from '../openStore.ts'

/**
 * Gives a queued mail up: records why, erases its content and revokes the session key it carried, all or nothing.
 * Answers whether it did; what was sent or given up before stays as it is.
 */
export async function failMail(db: Db, parameters: failMail.Parameters): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('mail_outbox')
      .set({
        state: 'failed',
        failure: parameters.failure,
        payload_sealed: null,
        updated_at: sql`now()`,
      })
      .where('id', '=', parameters.id)
      .where('state', '=', 'queued')
      .returning('credential_id')
      .executeTakeFirst()
    if (row?.credential_id)
      await trx
        .updateTable('credentials')
        .set({ revoked_at: sql`now()` })
        .where('id', '=', row.credential_id)
        .where('revoked_at', 'is', null)
        .execute()
    return row !== undefined
  })
}

export declare namespace failMail {
  type Parameters = {
    id: string
    /** A short class, never an address or a link. */
    failure: string
  }
}
