import type { OperationState } from 'latchkey-protocol'
import { z } from 'zod'
import type { GasOrder, TimeOrder } from '../platform/database/timeOrder.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { adminBounds } from './adminLimits.ts'

export const nothing = z.strictObject({})

export const time = z.iso.datetime({ offset: true })
export const wei = z.string().regex(/^\d{1,78}$/, 'must be wei in decimal digits')
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address of 20 bytes in hex')
export const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be a hash of 32 bytes in hex')
export const uuid = z.uuid()

export const operationStates = [
  'prepared',
  'signed',
  'sent',
  'seen',
  'included',
  'replaced',
  'dropped',
  'failed',
] as const satisfies readonly OperationState[]

export const projectParams = z.strictObject({ projectId: z.string().min(1).max(128) })

const page = {
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value <= adminBounds.page.most, `must be at most ${adminBounds.page.most}`)
    .optional()
    .describe(`Page size, at most ${adminBounds.page.most}. Defaults to ${adminBounds.page.usual}.`),
  cursor: z.string().max(512).optional().describe('`next` of the previous page.'),
}

/** Cursor for a list sorted by creation time and id. */
export const timeCursor = z.strictObject({ micros: z.string().regex(/^\d{1,16}$/), id: uuid })

export const toTimeCursor = <row extends z.output<typeof timeCursor>>({ micros, id }: row) => ({ micros, id })

export function pageQuery<shape extends z.ZodRawShape>(filters: shape) {
  return z.strictObject({ ...page, ...filters })
}

export function timedQuery<shape extends z.ZodRawShape>(filters: shape) {
  const order = z
    .enum(['newest', 'oldest'])
    .default('newest')
    .describe('Sort order. A cursor is valid only for the order it was created with.')
  return z.strictObject({ ...page, order, ...filters })
}

export function pageResponse<row extends z.ZodType>(name: string, row: row) {
  return z.object({
    items: z.array(row).describe(name),
    next: z.string().nullable().describe('Cursor of the next page, or null on the last page.'),
  })
}

export declare namespace readPage {
  type Parameters<row, place> = {
    query: { limit?: number | undefined; cursor?: string | undefined; order?: TimeOrder | GasOrder | undefined }
    /** Schema of the cursor, which is a row's position in the list's order. */
    place: z.ZodType<place>
    toPlace(row: row): place
    read(limit: number, after: place | undefined): Promise<row[]>
  }
}

/**
 * Returns a page, and the cursor of the next page if there is one.
 *
 * @throws `REQUEST_INVALID` if the cursor belongs to another list or order.
 */
export async function readPage<row, place>({
  query,
  place,
  toPlace,
  read,
}: readPage.Parameters<row, place>): Promise<{ rows: row[]; next: string | null }> {
  const limit = query.limit ?? adminBounds.page.usual
  const { order } = query
  const schema = z.strictObject({ ...(order && { order: z.literal(order) }), place })
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, schema).place
  const rows = await read(limit + 1, after)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown,
    next: rows.length > limit && last !== undefined ? writeCursor({ order, place: toPlace(last) }) : null,
  }
}

function writeCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function readCursor<place>(text: string, schema: z.ZodType<place>): place {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch (cause) {
    throw new ServerError('The cursor is not one of this list. Begin without one.', { code: 'REQUEST_INVALID', cause })
  }
}
