import { errorCodes } from 'latchkey/wire'
import type { z } from 'zod'
import { RpcError, rpcCodes } from './RpcError.ts'

export declare namespace parseAnswer {
  type ErrorType = RpcError
}

/** Checks what the node or the bundler answered. A misfit is their fault, so it is no `Invalid params`. */
export function parseAnswer<schema extends z.ZodType>(schema: schema, value: unknown, what: string): z.output<schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new RpcError(
    `The gateway got ${what} that it cannot read. Its operator should check the node and the bundler.`,
    {
      code: errorCodes.RESPONSE_INVALID,
      rpcCode: rpcCodes.internal,
    },
  )
}
