import type { AssetChange } from 'latchkey-protocol'
import { type Address, decodeEventLog, type Hex, parseAbi } from 'viem'
import { nativeAsset, type SimulatedLog } from './types.ts'

/** An asset change before the token is known. */
export type Movement = Pick<AssetChange, 'changeType' | 'from' | 'to' | 'tokenId'> & {
  /** Undefined for a collection whose kind must be read from the contract. */
  assetType: AssetChange['assetType'] | undefined
  contractAddress: Address | null
  amount: bigint | undefined
}

// ERC-20 and ERC-721 share names and signatures, and differ in the indexed arguments.
const erc20Abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
])
const erc721Abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
])
const collectionAbi = parseAbi([
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])

/** Reads the movements of assets in logs. Skips other logs, and logs that cannot be decoded. */
export function readMovements(logs: readonly SimulatedLog[]): Movement[] {
  return logs.flatMap((log) => readFungible(log) ?? readUnique(log) ?? readCollection(log) ?? [])
}

function readFungible(log: SimulatedLog): Movement[] | undefined {
  const event = decode(erc20Abi, log)
  if (!event) return undefined
  const isNative = log.address.toLowerCase() === nativeAsset
  const asset = {
    assetType: isNative ? ('NATIVE' as const) : ('ERC20' as const),
    contractAddress: isNative ? null : log.address,
    amount: event.args.value,
    tokenId: null,
  }
  if (event.eventName === 'Transfer')
    return [{ ...asset, changeType: 'TRANSFER', from: event.args.from, to: event.args.to }]
  return [{ ...asset, changeType: 'APPROVE', from: event.args.owner, to: event.args.spender }]
}

function readUnique(log: SimulatedLog): Movement[] | undefined {
  const event = decode(erc721Abi, log)
  if (!event) return undefined
  const asset = {
    assetType: 'ERC721' as const,
    contractAddress: log.address,
    amount: 1n,
    tokenId: event.args.tokenId.toString(),
  }
  if (event.eventName === 'Transfer')
    return [{ ...asset, changeType: 'TRANSFER', from: event.args.from, to: event.args.to }]
  return [{ ...asset, changeType: 'APPROVE', from: event.args.owner, to: event.args.approved }]
}

function readCollection(log: SimulatedLog): Movement[] | undefined {
  const event = decode(collectionAbi, log)
  if (!event) return undefined
  const contractAddress = log.address
  if (event.eventName === 'ApprovalForAll') {
    const { owner, operator, approved } = event.args
    // An approval of a whole collection has no amount; its revocation has the amount 0.
    const amount = approved ? undefined : 0n
    return [
      {
        assetType: undefined,
        contractAddress,
        changeType: 'APPROVE',
        from: owner,
        to: operator,
        amount,
        tokenId: null,
      },
    ]
  }
  const { from, to } = event.args
  const moved = (id: bigint, amount: bigint): Movement => ({
    assetType: 'ERC1155',
    contractAddress,
    changeType: 'TRANSFER',
    from,
    to,
    amount,
    tokenId: id.toString(),
  })
  if (event.eventName === 'TransferSingle') return [moved(event.args.id, event.args.value)]
  const { ids, values } = event.args
  return ids.map((id, index) => moved(id, values[index] ?? 0n))
}

function decode<const abi extends typeof erc20Abi | typeof erc721Abi | typeof collectionAbi>(
  abi: abi,
  { topics, data }: SimulatedLog,
) {
  try {
    return decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data, strict: true })
  } catch {
    return undefined
  }
}
