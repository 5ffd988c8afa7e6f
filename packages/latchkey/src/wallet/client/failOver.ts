import { createTransport, type Transport } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'

/** Methods whose null result is not final, because another bundler may know the operation. */
const lookUps: readonly string[] = ['eth_getUserOperationReceipt', 'eth_getUserOperationByHash']
/** JSON-RPC internal error (§ 5.1): the service did not process the call. */
const internalError = -32603

/**
 * Combines several bundlers. Sends a call to the first bundler, and to the next if the call could not be processed (no
 * network, timeout, HTTP status, internal error). All bundlers receive identical bytes. A bundler's refusal is final.
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

/** Returns the first final result. Without one, returns null or throws the last failure. */
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

/** Returns the outcome of a call. `unknown`: this service does not know the operation, but another service may. */
async function readEnd(reply: Promise<unknown>, method: string): Promise<'decided' | 'unknown' | 'failed'> {
  try {
    return (await reply) === null && lookUps.includes(method) ? 'unknown' : 'decided'
  } catch (error) {
    return hasDecided(error) ? 'decided' : 'failed'
  }
}

/** Checks whether the service itself reported an error about the call. */
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
