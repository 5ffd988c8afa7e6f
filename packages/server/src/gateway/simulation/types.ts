import type { Address, Hex } from 'viem'

export type SimulatedCall = { from: Address; to: Address; data: Hex; gas?: Hex }
export type SimulatedLog = { address: Address; topics: Hex[]; data: Hex }
export type SimulatedOutcome = { success: boolean; returnData: Hex; logs: SimulatedLog[] }

/** Where `eth_simulateV1` says the movements of the chain's own coin are. No contract can be there. */
export const nativeAsset = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
