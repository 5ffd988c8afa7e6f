import type { Context } from 'hono'
import type { z } from 'zod'
import { parseJson, readBody, validate } from '../../http/requestBody.ts'
import type { Caller } from './requireProject.ts'

/** The JSON body of a request, at most 64 KiB, checked against a schema. Any content type is accepted. */
export async function readRequest<schema extends z.ZodType>(
  context: Context<Caller>,
  schema: schema,
): Promise<z.output<schema>> {
  return validate(schema, parseJson(await readBody(context.req.raw)))
}
