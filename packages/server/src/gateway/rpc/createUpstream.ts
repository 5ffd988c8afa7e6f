import { errorCodes } from 'latchkey-protocol'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import type { ByteBudget } from './byteBudget.ts'
import { createEndpoint, type Endpoint, type UpstreamCall, type UpstreamKind } from './createEndpoint.ts'
import type { RpcOutcome } from './jsonRpc.ts'
import { RpcError, rpcCodes, UpstreamError, UpstreamFailure } from './RpcError.ts'
import { findSubmission } from './submissions.ts'

export declare namespace createUpstream {
  type Parameters = {
    kind: UpstreamKind
    /**
     * URLs, the preferred one first. They may contain keys in their paths, so they are never logged and never part of
     * an error.
     */
    urls: readonly string[]
    /** Timeout per URL. */
    timeoutMs: number
    /** Chain id that all URLs must have. @default not checked */
    chainId?: number | undefined
    /** Milliseconds. @default performance.now */
    now?: (() => number) | undefined
    logger?: Logger | undefined
  }
  type ReturnType = Upstream
}

export type SendOptions = {
  /** Budget that the response is charged to. @default only the response's own limit */
  budget?: ByteBudget | undefined
}

export type Upstream = {
  kind: UpstreamKind
  /**
   * Sends one call. Resolves with the upstream's result or error object. Rejects only if no upstream returns a valid
   * response.
   */
  send(method: string, params: unknown, options?: SendOptions): Promise<RpcOutcome>
  /** Sends one call and returns its result; the upstream's error rejects with {@link UpstreamError}. */
  call(method: string, params: unknown): Promise<unknown>
  /** Sends reads in one request and returns their results in order. The first error rejects as in `call`. */
  callAll(calls: readonly UpstreamCall[]): Promise<readonly unknown[]>
  /**
   * Subscribes to recoveries: a URL responds again after a failure, such as a restart that may have lost earlier
   * submissions. Returns a function that ends the subscription.
   */
  onRecovered(listener: () => void): () => void
}

/** Look-ups that a bundler answers only for operations that it received or that are on the chain. */
const lookUps = new Set(['eth_getUserOperationByHash', 'eth_getUserOperationReceipt'])
/** Methods whose filters exist only on the node that created them. */
const filterMakers = new Set(['eth_newFilter', 'eth_newBlockFilter'])
const filterUsers = new Set(['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'])

/**
 * Creates an upstream of redundant JSON-RPC endpoints. Calls go to the first healthy endpoint; the next one is the
 * fallback. Operations and transactions are retried only with the same bytes and thus the same hash. If one endpoint
 * may have accepted a submission, the upstream looks it up before it trusts another endpoint's refusal.
 *
 * @throws `NODE_UNREACHABLE`, `BUNDLER_UNREACHABLE`, `PAYMASTER_UNREACHABLE`, `CHAIN_MISMATCH`, `RATE_LIMIT_EXCEEDED`,
 * `REQUEST_INVALID`, `RESPONSE_TOO_LARGE`, by `send` and `call`.
 */
export function createUpstream(parameters: createUpstream.Parameters): createUpstream.ReturnType {
  const { kind, urls, chainId, logger = silentLogger } = parameters
  const listeners = new Set<() => void>()
  const endpoints = urls.map((url, index) =>
    createEndpoint({
      ...parameters,
      url,
      onRecovered() {
        logger.info({ chainId, endpoint: index + 1 }, `The ${kind} responds again`)
        for (const listener of listeners) listener()
      },
      onFailure({ code }) {
        if (urls.length > 1)
          logger.warn({ chainId, endpoint: index + 1, code }, `The ${kind} failed; the next one is asked`)
      },
    }),
  )

  async function send(method: string, params: unknown, { budget }: SendOptions = {}): Promise<RpcOutcome> {
    const submission = findSubmission(method, params, chainId)
    if (submission) return submit(order(endpoints), { method, params, ...submission })
    if (endpoints.length > 1 && filterUsers.has(method)) return useFilter(endpoints, { method, params, budget })
    return read(endpoints, { method, params, budget })
  }

  async function call(method: string, params: unknown): Promise<unknown> {
    return toResult(await send(method, params))
  }

  return {
    kind,
    send,
    call,
    callAll: async (calls) => (await readAll(endpoints, calls)).map(toResult),
    onRecovered(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function toResult(outcome: RpcOutcome): unknown {
  if ('error' in outcome) throw new UpstreamError(outcome.error)
  return outcome.result
}

/**
 * Returns healthy endpoints first, then those that may have recovered. An endpoint that times out is used only if there
 * is no other.
 */
function order(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const well = endpoints.filter((endpoint) => endpoint.isWell())
  const others = endpoints.filter((endpoint) => !endpoint.isWell() && !endpoint.isStuck())
  const usable = [...well, ...others]
  return usable.length > 0 ? usable : endpoints.slice(0, 1)
}

type Call = { method: string; params: unknown; budget?: ByteBudget | undefined }

async function read(endpoints: readonly Endpoint[], { method, params, budget }: Call): Promise<RpcOutcome> {
  let failed: UpstreamFailure | undefined
  let empty: RpcOutcome | undefined
  for (const endpoint of order(endpoints)) {
    try {
      const outcome = await endpoint.ask(method, params, budget)
      if (lookUps.has(method) && 'result' in outcome && outcome.result === null) empty = outcome
      else return filterMakers.has(method) ? markFilter(endpoints, endpoint, outcome) : outcome
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      failed ??= error
    }
  }
  if (empty) return empty
  throw failed ?? noEndpoint()
}

async function readAll(endpoints: readonly Endpoint[], calls: readonly UpstreamCall[]): Promise<readonly RpcOutcome[]> {
  let failed: UpstreamFailure | undefined
  for (const endpoint of order(endpoints)) {
    try {
      return await endpoint.askAll(calls)
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      failed ??= error
    }
  }
  throw failed ?? noEndpoint()
}

type Submission = Call & { hash: string | undefined; lookUp: string }

async function submit(endpoints: readonly Endpoint[], submission: Submission): Promise<RpcOutcome> {
  const { method, params, hash } = submission
  let uncertain: UpstreamFailure | undefined
  let failed: UpstreamFailure | undefined
  for (const endpoint of endpoints) {
    try {
      const outcome = await endpoint.ask(method, params)
      // "Already known" or a used nonce may refer to the same submission, accepted by the previous endpoint.
      if (uncertain && 'error' in outcome && (await isKnown(endpoints, submission))) return { result: hash }
      return outcome
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      failed ??= error
      if (!error.wasSent) continue
      uncertain ??= error
      // A submission without a known hash cannot be looked up at other endpoints.
      if (hash === undefined) break
    }
  }
  if (!uncertain) throw failed ?? noEndpoint()
  if (await isKnown(endpoints, submission)) return { result: hash }
  throw mayBeTaken(uncertain, hash)
}

async function isKnown(endpoints: readonly Endpoint[], { hash, lookUp }: Submission): Promise<boolean> {
  if (hash === undefined) return false
  for (const endpoint of endpoints) {
    const outcome = await endpoint.ask(lookUp, [hash]).catch(() => undefined)
    if (outcome && 'result' in outcome && outcome.result !== null) return true
  }
  return false
}

function mayBeTaken(failure: UpstreamFailure, hash: string | undefined): RpcError {
  const next = hash === undefined ? '' : ` Look for ${hash} before sending another.`
  return new RpcError(`${failure.message} It may have been taken even so.${next}`, {
    code: failure.code,
    rpcCode: failure.rpcCode,
    cause: failure,
    data: { mayBeAccepted: true, ...(hash === undefined ? {} : { hash }) },
  })
}

/** Prefixes a filter's id with two digits: the index of its node. */
function markFilter(endpoints: readonly Endpoint[], endpoint: Endpoint, outcome: RpcOutcome): RpcOutcome {
  if (endpoints.length === 1 || !('result' in outcome) || typeof outcome.result !== 'string') return outcome
  const place = (endpoints.indexOf(endpoint) + 1).toString(16).padStart(2, '0')
  return { result: `0x${place}${outcome.result.slice(2)}` }
}

async function useFilter(endpoints: readonly Endpoint[], { method, params, budget }: Call): Promise<RpcOutcome> {
  const [id] = Array.isArray(params) ? (params as unknown[]) : []
  const endpoint = typeof id === 'string' ? endpoints[Number.parseInt(id.slice(2, 4), 16) - 1] : undefined
  if (endpoint && typeof id === 'string') return endpoint.ask(method, [`0x${id.slice(4)}`], budget)
  return { error: { code: -32000, message: 'filter not found' } }
}

function noEndpoint(): RpcError {
  return new RpcError('The gateway has no upstream for this. Its operator should check its configuration.', {
    code: errorCodes.CONFIG_INVALID,
    rpcCode: rpcCodes.unavailable,
  })
}
