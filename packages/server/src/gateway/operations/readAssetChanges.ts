import type { AdminAssetChange } from 'latchkey-protocol/admin'
import { type Address, type Hex, isHex } from 'viem'
import { z } from 'zod'
import { address, bytes } from '../rpc/values.ts'
import { type Movement, readMovements } from '../simulation/readMovements.ts'
import type { SimulatedLog } from '../simulation/types.ts'

const logSchema = z.looseObject({ address, topics: z.array(bytes), data: bytes })

/** Maximum number of stored changes. The stored count includes the rest. */
const maxChanges = 100
/** Longer log data is not decoded, since no page could show such a token list. */
const maxDataBytes = 20_000

/**
 * Reads the token changes from a receipt's logs, changes of the account first. Does not verify the contracts that wrote
 * the logs. Transfers of the native coin write no logs.
 */
export function readAssetChanges(
  account: string,
  logs: readonly unknown[],
): { changes: AdminAssetChange[]; count: number } {
  const all = readMovements(logs.flatMap(toLog)).map(toChange)
  const isOfAccount = ({ from, to }: AdminAssetChange) => [from, to].includes(account.toLowerCase())
  const ordered = [...all.filter(isOfAccount), ...all.filter((change) => !isOfAccount(change))]
  return { changes: ordered.slice(0, maxChanges), count: all.length }
}

function toLog(log: unknown): SimulatedLog[] {
  const { data: read } = logSchema.safeParse(log)
  if (!read || read.data.length > 2 + maxDataBytes * 2 || !isHex(read.data)) return []
  return [{ address: read.address as Address, topics: read.topics as Hex[], data: read.data }]
}

const standards = {
  NATIVE: 'native',
  ERC20: 'ERC-20',
  ERC721: 'ERC-721',
  ERC1155: 'ERC-1155',
  SPECIAL_NFT: 'ERC-721',
} as const

function toChange({ changeType, assetType, contractAddress, from, to, amount, tokenId }: Movement): AdminAssetChange {
  return {
    kind: changeType === 'TRANSFER' ? 'transfer' : 'approval',
    standard: assetType === undefined ? 'ERC-721 or ERC-1155' : standards[assetType],
    contract: contractAddress?.toLowerCase() ?? null,
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    // An ERC-721 transfer always moves one item.
    amount: amount === undefined || assetType === 'ERC721' ? null : String(amount),
    tokenId,
  }
}
