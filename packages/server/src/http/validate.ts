import type { z } from 'zod'
import { ServerError } from './ServerError.ts'

/**
 * Checks a value against a schema and answers the parsed value.
 * The error names at most five fields, in the text and in `details` (`google.rpc.BadRequest`).
 *
 * @throws ServerError `REQUEST_INVALID` (400)
 */
export function validate<schema extends z.ZodType>(schema: schema, value: unknown, what = 'request'): z.output<schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fieldViolations = result.error.issues.slice(0, 5).map((issue) => ({
    field: issue.path.map(String).join('.'),
    description: issue.message,
  }))
  const text = fieldViolations.map(({ field, description }) => (field ? `${field}: ${description}` : description))
  throw new ServerError(`The ${what} is not valid. ${text.join('; ')}`, {
    code: 'REQUEST_INVALID',
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }],
  })
}
