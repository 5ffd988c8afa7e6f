import { type Address, isAddress, isAddressEqual } from 'viem'
import type { ChainOptions } from '../../gateway/chains/ChainOptions.ts'
import { createSchemes, entryPointAddresses } from '../../gateway/paymasters/schemes.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { fetchBounded } from '../../platform/http/fetchBounded.ts'
import { parseJson } from '../../platform/http/requestBody.ts'
import type { Check, Subject } from './checks.ts'

/**
 * Checks the chain ids of all nodes and bundlers, and the bundlers' entry points. Messages refer to each one by index,
 * since URLs may contain keys.
 */
export function chainChecks({ server: { gateway } }: Subject): Check[] {
  const chains = gateway?.chains ?? []
  return chains.flatMap((chain) => {
    const upstreams = [
      ...chain.nodeUrls.map((url, index) => ({ kind: 'node', url, index, count: chain.nodeUrls.length })),
      ...chain.bundlerUrls.map((url, index) => ({ kind: 'bundler', url, index, count: chain.bundlerUrls.length })),
    ]
    return upstreams.flatMap(({ kind, url, index, count }) => {
      const place = [...(count > 1 ? [index + 1] : []), ...(chains.length > 1 ? [`of ${chain.chainId}`] : [])]
      const entryPoints = {
        name: ['entry points', ...place].join(' '),
        run: () => checkEntryPoints(url, chain),
      }
      return [
        { name: [kind, ...place].join(' '), run: () => checkChain(`The ${kind}`, url, chain.chainId) },
        ...(kind === 'bundler' ? [entryPoints] : []),
      ]
    })
  })
}

async function checkChain(what: string, url: string, chainId: number): Promise<string> {
  const result = await ask(what, url, 'eth_chainId')
  if (typeof result !== 'string') throw configInvalid(`${what} answered without a chain id: is it a JSON-RPC URL?`)
  if (Number(result) !== chainId) throw configInvalid(`${what} is on chain ${Number(result)}, not on ${chainId}`)
  return `answers, chain ${chainId}`
}

/**
 * Requires the entry points of the chain's paymasters. Without paymasters, requires at least one entry point that the
 * gateway supports.
 */
async function checkEntryPoints(url: string, { chainId, paymasters = {} }: ChainOptions): Promise<string> {
  const result = await ask('The bundler', url, 'eth_supportedEntryPoints')
  const served = (Array.isArray(result) ? result : []).filter((item): item is Address => isAddress(String(item)))
  const isServed = (entryPoint: Address) => served.some((item) => isAddressEqual(item, entryPoint))
  const wanted = createSchemes({ chainId, paymasters }).map(({ entryPoint }) => entryPoint)
  const missing = wanted.filter((entryPoint) => !isServed(entryPoint))
  if (missing.length > 0)
    throw configInvalid(
      `the bundler does not serve ${missing.join(', ')}, for which a paymaster is configured: start it with these entry points, or remove that paymaster`,
    )
  const known = entryPointAddresses.filter(isServed)
  if (known.length === 0)
    throw configInvalid(
      `the bundler serves none of ${entryPointAddresses.join(', ')}: start it with your accounts' entry points`,
    )
  return `serves ${known.map((entryPoint) => entryPoint.slice(0, 10)).join(', ')}`
}

async function ask(what: string, url: string, method: string): Promise<unknown> {
  const { body } = await fetchBounded(url, {
    what,
    timeoutMs: 5_000,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
  })
  return ((parseJson(body) ?? {}) as { result?: unknown }).result
}
