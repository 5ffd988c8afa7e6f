import { errorCodes } from 'latchkey/wire'
import type { z } from 'zod'
import { RpcError, rpcCodes } from './RpcError.ts'

export declare namespace parseParams {
  type ErrorType = RpcError
}

/** Checks a value against a schema. The error names the first wrong field and what it must be, never its value. */
export function parseParams<schema extends z.ZodType>(schema: schema, value: unknown, what: string): z.output<schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const path = issue ? [what, ...issue.path.map(String)].join('.') : what
  throw new RpcError(`Invalid params: ${path}: ${issue?.message ?? 'not valid'}.`, {
    code: errorCodes.REQUEST_INVALID,
    rpcCode: rpcCodes.invalidParams,
  })
}
