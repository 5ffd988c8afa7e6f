import { z } from 'zod'
import { readNode } from '../../gateway/methods/readNode.ts'
import { RpcError } from '../../gateway/rpc/RpcError.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { defineRead, type Route } from '../defineRoute.ts'

/** Maximum length of the parameters, in characters. A read of an account's owners needs about 500. */
const maxParams = 4_000

const params = z
  .string()
  .max(maxParams)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })

/** Reads of a chain, so that the console can show what the chain says about an account, such as its owners. */
export const chainRoutes: readonly Route[] = [
  defineRead({
    path: '/chains/{chainId}/read',
    role: 'viewer',
    name: 'chain.read',
    summary: "Reads from a chain by the gateway's node.",
    params: z.strictObject({ chainId: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) }),
    query: z.strictObject({
      method: z.enum(['eth_blockNumber', 'eth_call', 'eth_getCode', 'eth_getLogs']),
      params: params.describe('JSON array of the JSON-RPC parameters.'),
    }),
    response: z.union([
      z.object({ result: z.unknown() }),
      z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
    ]),
    errors: ['NOT_FOUND', 'REQUEST_INVALID', 'NODE_UNREACHABLE'],
    async run({ chains, operator }, { params: { chainId }, query }) {
      const chain = chains.find((one) => one.chainId === chainId)
      if (!chain) throw unknownChain(chainId)
      // The scheduler counts all operators as one caller.
      const caller = { projectId: 'admin', keyId: 'admin', ip: operator.id }
      return readNode({ chain, caller, ...query }).catch((error: unknown) => {
        if (error instanceof RpcError) throw new ServerError(error.message, { code: error.code, status: 502 })
        throw error
      })
    },
  }),
]

function unknownChain(chainId: number): ServerError {
  return new ServerError(`The admin role cannot read chain ${chainId}. Give it LATCHKEY_CHAINS_FILE.`, {
    code: 'NOT_FOUND',
    status: 404,
  })
}
