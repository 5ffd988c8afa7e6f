import { sql } from 'kysely'
import { inTransaction } from '../inTransaction.ts'
import type { Db } from '../openStore.ts'

/**
 * Gives a queued mail up: records why, erases its content and deletes what it carried, session key and code, all or
 * nothing. Answers whether it did; what was sent or given up before stays as it is.
 */
export async function failMail(db: Db, parameters: failMail.Parameters): Promise<boolean> {
  return inTransaction(db, async (trx) => {
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
    if (row?.credential_id) {
      await trx.deleteFrom('mail_codes').where('credential_id', '=', row.credential_id).execute()
      await trx.deleteFrom('credentials').where('id', '=', row.credential_id).execute()
    }
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
