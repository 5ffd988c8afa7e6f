import { createTransport, type Transport } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'

/** Null from one bundler means that another may know the operation. */
const lookUps: readonly string[] = ['eth_getUserOperationReceipt', 'eth_getUserOperationByHash']
/** JSON-RPC's own internal error (§ 5.1): the service says nothing about the call. */
const internalError = -32603

/**
 * Several bundlers as one: a call goes to the first, and to the next one where it gets no decision (no network, time-out,
 * HTTP status, internal error). It is the same call each time, so that an operation reaches the second with the same bytes.
 * What a bundler refuses is refused.
 */
export function failOver(first: Transport, ...others: readonly Transport[]): Transport {
  return (options) => {
    const made = [first, ...others].map((each) => each(options))
    const request: Service['request'] = (call, settings) =>
      tryEach(made, call.method, (service) => service.request(call, settings))
    return createTransport({ key: 'failOver', name: 'Bundlers', type: 'failOver', retryCount: 0, request })
  }
}

type Service = ReturnType<Transport>

/** The first decision; without one a null, else the last failure. */
async function tryEach<result>(
  [first, ...rest]: readonly Service[],
  method: string,
  call: (service: Service) => Promise<result>,
): Promise<result> {
  if (!first) throw new BaseError('No bundler is named.', { code: 'CONFIG_INVALID' })
  let best = call(first)
  for (const service of rest) {
    const end = await readEnd(best, method)
    if (end === 'decided') break
    const next = call(service)
    if ((await readEnd(next, method)) === 'decided' || end === 'failed') best = next
  }
  return best
}

/** How a call ended. `unknown`: the service knows no such operation, and another may. */
async function readEnd(reply: Promise<unknown>, method: string): Promise<'decided' | 'unknown' | 'failed'> {
  try {
    return (await reply) === null && lookUps.includes(method) ? 'unknown' : 'decided'
  } catch (error) {
    return hasDecided(error) ? 'decided' : 'failed'
  }
}

/** Whether the service itself returned an error about the call. */
function hasDecided(error: unknown): boolean {
  let current: unknown = error
  // A deeper chain is a cycle.
  for (let depth = 0; depth < 32 && typeof current === 'object' && current !== null; depth++) {
    const { code, cause }: { code?: unknown; cause?: unknown } = current
    if (typeof code === 'number') return code !== internalError
    current = cause
  }
  return false
}
