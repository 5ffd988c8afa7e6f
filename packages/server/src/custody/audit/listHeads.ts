import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { isGenuine } from '../macs.ts'
import type { Head } from './parseHeads.ts'

const batchSize = 1_000

/**
 * The ends of all chains, to be kept where nobody who writes to the database can write: whoever sets the database back,
 * or cuts a chain together with its end, is found out by them.
 *
 * @throws ServerError `INTERNAL` for an end that custody did not write
 */
export async function* listHeads(db: Db, macKey: Uint8Array): AsyncGenerator<Head, void> {
  for (let after: string | undefined; ; ) {
    const rows = await db
      .selectFrom('activity_log_heads')
      .selectAll()
      .$if(after !== undefined, (query) => query.where('org_id', '>', after ?? ''))
      .orderBy('org_id')
      .limit(batchSize)
      .execute()
    for (const { org_id, seq, hash, mac } of rows) {
      if (!isGenuine(macKey, 'activity_log_heads', { org_id, seq, hash, mac }))
        throw new ServerError(
          `The recorded end of the chain of ${org_id} was not written by custody. Run \`latchkey-server audit verify\`.`,
          { code: 'INTERNAL', status: 500 },
        )
      yield { organizationId: org_id, seq, hash: toHex(hash), mac: toHex(mac) }
    }
    after = rows.at(-1)?.org_id
    if (rows.length < batchSize) return
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
