import type { Address, Hex } from 'viem'

export type SimulatedCall = { from: Address; to: Address; data: Hex; gas?: Hex }
export type SimulatedLog = { address: Address; topics: Hex[]; data: Hex }
export type SimulatedOutcome = { success: boolean; returnData: Hex; logs: SimulatedLog[] }

/** Address under which `eth_simulateV1` reports native transfers. No contract can exist there. */
export const nativeAsset = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
