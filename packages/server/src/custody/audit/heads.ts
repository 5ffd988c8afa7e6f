import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { configInvalid, ServerError } from '../../platform/errors/ServerError.ts'
import { parseJson } from '../../platform/http/requestBody.ts'
import { isGenuine } from '../macs.ts'

const batchSize = 1_000

const hexSchema = z.string().regex(/^[0-9a-f]{64}$/)
const headSchema = z.strictObject({
  organizationId: z.uuid(),
  seq: z.string().regex(/^\d{1,18}$/),
  hash: hexSchema,
  mac: hexSchema,
})

/** Recorded head of an organization's chain: sequence number and hex hash of the last entry. */
export type NotedHead = z.output<typeof headSchema>

/**
 * Yields the heads of all chains. Store them where database writers cannot change them: they reveal a rolled-back
 * database, or a chain truncated together with its head.
 *
 * @throws `INTERNAL` for a head that custody did not write.
 */
export async function* listHeads(db: Db, macKey: Uint8Array): AsyncGenerator<NotedHead, void> {
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

/**
 * Parses the output of {@link listHeads}: a JSON object per line. If an organization is listed more than once,
 * returns all of its heads.
 *
 * @throws `CONFIG_INVALID` for a line that custody did not write, or if there are no lines.
 */
export function parseHeads(text: string, macKey: Uint8Array): ReadonlyMap<string, readonly NotedHead[]> {
  const heads = new Map<string, NotedHead[]>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const head = parseHead(line, macKey)
    if (!head)
      throw configInvalid(`Line ${index + 1} is none that \`latchkey-server audit heads\` printed for this custody.`)
    heads.set(head.organizationId, [...(heads.get(head.organizationId) ?? []), head])
  }
  if (heads.size > 0) return heads
  throw configInvalid('There are no heads to compare with.')
}

function parseHead(line: string, macKey: Uint8Array): NotedHead | undefined {
  try {
    const head = headSchema.parse(parseJson(Buffer.from(line)))
    const { organizationId, seq, hash, mac } = head
    const row = { org_id: organizationId, seq, hash: Buffer.from(hash, 'hex'), mac: Buffer.from(mac, 'hex') }
    return isGenuine(macKey, 'activity_log_heads', row) ? head : undefined
  } catch {
    return undefined
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
