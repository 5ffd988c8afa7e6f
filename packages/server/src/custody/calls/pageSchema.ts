import { z } from 'zod'

const maxLimit = 100

/**
 * `paginationOptions` (custody protocol § 2.6): at most a hundred rows, which is also what is answered unasked, since
 * some clients look for a thing without asking for more. `after` and `before` are ids of rows.
 */
export const pageSchema = z
  .strictObject({
    limit: z
      .union([z.string().regex(/^\d{1,3}$/), z.int()])
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= maxLimit, `must be 1 to ${maxLimit}`)
      .default(maxLimit),
    before: z.uuid().optional(),
    after: z.uuid().optional(),
  })
  .default({ limit: maxLimit })

export type Page = z.output<typeof pageSchema>
