import { errorCodes } from 'latchkey-protocol'
import { configInvalid, ServerError } from '../../platform/errors/ServerError.ts'
import { parseUrl } from '../../platform/http/parseUrl.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { ChainOptions } from './ChainOptions.ts'
import { type Chain, createChain } from './createChain.ts'

export declare namespace createChainFinder {
  type Parameters = {
    /** Path segment: the chain's id or one of its names. */
    segment: string | undefined
    /** Host name of the request, without the port. */
    hostname: string
  }
  type ReturnType = {
    all: readonly Chain[]
    /** Undefined when neither path nor host selects one of several chains. */
    find(parameters: Parameters): Chain | undefined
    /** Refuses a request that needs a chain but selects none. */
    refuse(): never
  }
  type ErrorType = ServerError
}

/**
 * Creates a finder for a request's chain: the chain in its path, or else the chain of its host name, or else the only
 * chain.
 *
 * @throws `CONFIG_INVALID` at creation, for chains that share a name or have no upstream. `find` and `refuse` throw
 * `CHAIN_NOT_FOUND` with the list of chains.
 */
export function createChainFinder(options: readonly ChainOptions[], logger?: Logger): createChainFinder.ReturnType {
  assertChains(options)
  const all = options.map((each) => createChain(each, logger))
  const byLabel = new Map(all.flatMap((chain) => labels(chain).map((label) => [label, chain])))
  const [first] = all
  const only = all.length === 1 ? first : undefined

  function find({ segment, hostname }: createChainFinder.Parameters): Chain | undefined {
    if (segment !== undefined) return byLabel.get(segment.toLowerCase()) ?? refuse(all, segment)
    const host = hostname.toLowerCase()
    return byLabel.get(host) ?? byLabel.get(host.split('.')[0] ?? '') ?? only
  }

  return { all, find, refuse: () => refuse(all) }
}

function labels({ chainId, names = [] }: Pick<ChainOptions, 'chainId' | 'names'>): string[] {
  return [String(chainId), ...names.map((name) => name.toLowerCase())]
}

function assertChains(options: readonly ChainOptions[]): void {
  if (options.length === 0) throw configInvalid('The gateway serves no chain. Give at least one in gateway.chains.')
  const seen = new Set<string>()
  for (const chain of options) {
    if (!Number.isSafeInteger(chain.chainId) || chain.chainId <= 0)
      throw configInvalid(`The chain id ${chain.chainId} of the gateway is not a positive whole number.`)
    for (const kind of ['nodeUrls', 'bundlerUrls'] as const)
      if (chain[kind].length === 0 || !chain[kind].every((url) => /^https?:/.test(parseUrl(url)?.protocol ?? '')))
        throw configInvalid(`Chain ${chain.chainId} of the gateway needs ${kind}: at least one http(s) URL.`)
    for (const name of chain.names ?? [])
      if (!/^(?!v2$|\d+$)[a-z0-9][a-z0-9.-]{0,62}$/i.test(name))
        throw configInvalid(
          `Chain ${chain.chainId} of the gateway cannot have the name ${JSON.stringify(name)}: use letters, digits, dots and dashes.`,
        )
    for (const label of labels(chain)) {
      if (seen.has(label)) throw configInvalid(`Two chains of the gateway are called ${label}.`)
      seen.add(label)
    }
  }
}

function refuse(all: readonly Chain[], segment?: string): never {
  const served = all.map(({ chainId, names }) => [chainId, ...names].join(' or ')).join(', ')
  const what =
    segment === undefined
      ? 'The URL names no chain, and this gateway serves several.'
      : `The chain ${JSON.stringify(segment.slice(0, 64))} is not served here.`
  throw new ServerError(`${what} POST to /{chain}/v2/{apiKey} with one of: ${served}.`, {
    code: errorCodes.CHAIN_NOT_FOUND,
    status: 404,
  })
}
