import type { Chain } from 'viem'
import { hostedRpcBases } from './hostedRpcBases.ts'
import type { LatchkeyChain } from './types.ts'

/** A public chain with the hosted provider's RPC base, where it has one there. `retired`: the network was switched off. */
export function hosted(chain: Chain, { retired }: { retired?: true } = {}): LatchkeyChain {
  const base = hostedRpcBases[chain.id]
  return {
    ...chain,
    rpcUrls: base ? { ...chain.rpcUrls, alchemy: { http: [base] } } : chain.rpcUrls,
    custom: { ...chain.custom, latchkey: retired ? { retired } : {} },
  }
}
