import { z } from 'zod'
import { parseJson } from '../../http/requestBody.ts'
import { ServerError } from '../../http/ServerError.ts'
import { isGenuine } from '../macs.ts'

const hexSchema = z.string().regex(/^[0-9a-f]{64}$/)
const headSchema = z.strictObject({
  organizationId: z.uuid(),
  seq: z.string().regex(/^\d{1,18}$/),
  hash: hexSchema,
  mac: hexSchema,
})

/** The end of an organization's chain: the number of its last entry, and that entry's hash. Hex. */
export type Head = z.output<typeof headSchema>

/**
 * Reads what `listHeads` told: a JSON object a line. Of an organization told several times all count.
 *
 * @throws ServerError `CONFIG_INVALID` for a line that custody did not write, and when there is none
 */
export function parseHeads(text: string, macKey: Uint8Array): ReadonlyMap<string, readonly Head[]> {
  const heads = new Map<string, Head[]>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const head = parseHead(line, macKey)
    if (!head) throw invalid(`Line ${index + 1} is none that \`latchkey-server audit heads\` printed for this custody.`)
    heads.set(head.organizationId, [...(heads.get(head.organizationId) ?? []), head])
  }
  if (heads.size > 0) return heads
  throw invalid('There are no heads to compare with.')
}

function parseHead(line: string, macKey: Uint8Array): Head | undefined {
  try {
    const head = headSchema.parse(parseJson(Buffer.from(line)))
    const { organizationId, seq, hash, mac } = head
    const row = { org_id: organizationId, seq, hash: Buffer.from(hash, 'hex'), mac: Buffer.from(mac, 'hex') }
    return isGenuine(macKey, 'activity_log_heads', row) ? head : undefined
  } catch {
    return undefined
  }
}

function invalid(message: string): ServerError {
  return new ServerError(message, { code: 'CONFIG_INVALID', status: 500 })
}
