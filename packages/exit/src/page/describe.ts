import { type Address, type Chain, type Client, formatUnits, parseAbi, type Transport } from 'viem'
import { readContract } from 'viem/actions'
import { type Asset, type Move, nameAsset, readAmount } from '../assets.ts'
import type { Shown } from './page.ts'

type ChainClient = Client<Transport, Chain, undefined>

const abi = parseAbi(['function decimals() view returns (uint8)', 'function symbol() view returns (string)'])

export async function describeHolding(client: ChainClient, asset: Asset, owner: Address) {
  const amount = await readAmount(client, asset, owner)
  return { ...(await describeAmount(client, asset, amount)), amount }
}

export function describeMove(client: ChainClient, move: Move, assets: readonly Asset[]): Promise<Shown> {
  const asset = assets.find((one) => nameAsset(one) === move.asset) ?? { kind: 'native' }
  return describeAmount(client, asset, move.amount)
}

async function describeAmount(client: ChainClient, asset: Asset, amount: bigint): Promise<Shown> {
  if (asset.kind === 'native')
    return { name: client.chain.nativeCurrency.name, text: formatCoin(amount, client.chain.nativeCurrency) }
  const name = nameAsset(asset)
  if (asset.kind === 'erc721') return { name, text: amount === 1n ? `No. ${asset.id}` : 'Not held' }
  if (asset.kind === 'erc1155') return { name, text: `${amount} of no. ${asset.id}` }
  const read = { abi, address: asset.token } as const
  const [decimals, symbol] = await Promise.all([
    readContract(client, { ...read, functionName: 'decimals' }).catch(() => 0),
    readContract(client, { ...read, functionName: 'symbol' }).catch(() => 'units'),
  ])
  // Shows the address next to the name, since a contract may claim any name of any length.
  return { name, text: `${formatUnits(amount, decimals)} ${symbol.replace(/[^\x20-\x7e]/g, '').slice(0, 16)}` }
}

export const formatCoin = (amount: bigint, { decimals, symbol }: Chain['nativeCurrency']) =>
  `${formatUnits(amount, decimals)} ${symbol}`
