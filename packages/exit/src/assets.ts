import {
  type Address,
  type Chain,
  type Client,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddress,
  parseAbi,
  type Transport,
} from 'viem'
import { call, getBalance, readContract } from 'viem/actions'
import { CommandError } from './errors.ts'

/** An asset of an account. */
export type Asset =
  | { kind: 'native' }
  | { kind: 'erc20'; token: Address }
  | { kind: 'erc721'; token: Address; id: bigint }
  | { kind: 'erc1155'; token: Address; id: bigint; amount: bigint | 'all' }

export type Move = { asset: string; amount: bigint; call: { to: Address; data: Hex; value: bigint } }

const abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function balanceOf(address owner, uint256 id) view returns (uint256)',
  'function ownerOf(uint256 id) view returns (address)',
  'function transfer(address to, uint256 amount)',
  'function safeTransferFrom(address from, address to, uint256 id)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
])

/** @throws `CONFIG_INVALID` */
export function parseAsset(text: string): Asset {
  if (text === 'native') return { kind: 'native' }
  const [token = '', id, amount, ...rest] = text.split('/')
  const numbers = [id ?? '0', amount === undefined || amount === 'all' ? '0' : amount]
  const isNumbers = numbers.every((part) => /^\d{1,78}$/.test(part) && BigInt(part) < 2n ** 256n)
  if (!isAddress(token) || rest.length > 0 || id === 'all' || !isNumbers)
    throw new CommandError(`"${text.slice(0, 80)}" is not one of native, TOKEN, TOKEN/ID and TOKEN/ID/AMOUNT.`, {
      code: 'CONFIG_INVALID',
    })
  const at = { token: getAddress(token) }
  if (id === undefined) return { kind: 'erc20', ...at }
  if (amount === undefined) return { kind: 'erc721', ...at, id: BigInt(id) }
  return { kind: 'erc1155', ...at, id: BigInt(id), amount: amount === 'all' ? amount : BigInt(amount) }
}

/**
 * Returns the calls that move assets. Simulates each call first, since a transfer that fails inside an operation costs
 * gas and moves nothing.
 *
 * @throws `CONFIG_INVALID` for an asset the account does not hold, `CONTRACT_REVERTED`.
 */
export async function planMoves(
  client: Client<Transport, Chain, undefined>,
  { from, to, assets }: { from: Address; to: Address; assets: readonly Asset[] },
): Promise<Move[]> {
  // Moves ether last, since a token may charge a fee in ether.
  const order = [...assets].sort((a, b) => Number(a.kind === 'native') - Number(b.kind === 'native'))
  const moves: Move[] = []
  for (const asset of order) {
    const name = nameAsset(asset)
    const amount = await readAmount(client, asset, from)
    if (amount === 0n)
      throw new CommandError(`The account holds nothing of ${name}.`, {
        code: 'CONFIG_INVALID',
        hint: 'Leave out that --asset, or check the chain of --rpc-url.',
      })
    const move = { asset: name, amount, call: toCall(asset, { from, to, amount }) }
    await call(client, { account: from, ...move.call }).catch((cause: unknown) => {
      throw new CommandError(`The transfer of ${name} to ${to} fails on the chain. Nothing was sent.`, {
        code: 'CONTRACT_REVERTED',
        cause,
      })
    })
    moves.push(move)
  }
  return moves
}

/**
 * Returns an account's balance of an asset.
 *
 * @throws `CONTRACT_REVERTED`
 */
export async function readAmount(
  client: Client<Transport, Chain, undefined>,
  asset: Asset,
  owner: Address,
): Promise<bigint> {
  if (asset.kind === 'native') return getBalance(client, { address: owner })
  const read = { abi, address: asset.token }
  try {
    if (asset.kind === 'erc20') return await readContract(client, { ...read, functionName: 'balanceOf', args: [owner] })
    if (asset.kind === 'erc721') {
      const holder = await readContract(client, { ...read, functionName: 'ownerOf', args: [asset.id] })
      return holder === owner ? 1n : 0n
    }
    const held = await readContract(client, { ...read, functionName: 'balanceOf', args: [owner, asset.id] })
    if (asset.amount === 'all') return held
    return asset.amount <= held ? asset.amount : 0n
  } catch (cause) {
    const text = `${asset.token} does not return what the account holds. Check the kind and the chain of ${nameAsset(asset)}.`
    throw new CommandError(text, { code: 'CONTRACT_REVERTED', cause })
  }
}

function toCall(asset: Asset, { from, to, amount }: { from: Address; to: Address; amount: bigint }): Move['call'] {
  if (asset.kind === 'native') return { to, data: '0x', value: amount }
  const data = () => {
    if (asset.kind === 'erc20') return encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] })
    const functionName = 'safeTransferFrom'
    if (asset.kind === 'erc721') return encodeFunctionData({ abi, functionName, args: [from, to, asset.id] })
    return encodeFunctionData({ abi, functionName, args: [from, to, asset.id, amount, '0x'] })
  }
  return { to: asset.token, data: data(), value: 0n }
}

export function nameAsset(asset: Asset): string {
  if (asset.kind === 'native') return 'native'
  return asset.kind === 'erc20' ? asset.token : `${asset.token}/${asset.id}`
}
