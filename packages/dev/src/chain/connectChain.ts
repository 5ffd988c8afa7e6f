import { defineLatchkeyDevChain, supportedChains } from 'latchkey/chains'
import { type Chain, type Client, createClient, http, type Transport } from 'viem'
import { rpc } from './rpc.ts'

/** A client of the chain a node serves. A chain that is not in the list is taken for a dev world's. */
export async function connectChain(rpcUrl: string): Promise<Client<Transport, Chain, undefined>> {
  const id = Number(await rpc<string>({ url: rpcUrl, method: 'eth_chainId', params: [] }))
  const chain: Chain =
    supportedChains.find((known) => known.id === id) ?? defineLatchkeyDevChain({ id, nodeUrl: rpcUrl })
  return createClient({
    chain,
    // A contract may name URLs to ask (EIP-3668): only the node is asked.
    ccipRead: false,
    transport: http(rpcUrl, { timeout: 30_000 }),
  })
}
