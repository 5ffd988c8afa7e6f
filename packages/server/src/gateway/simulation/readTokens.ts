import type { AssetChange } from 'latchkey-protocol'
import { type Address, decodeAbiParameters, encodeFunctionData, type Hex, hexToString, parseAbi, size } from 'viem'
import type { SimulatedCall, SimulatedOutcome } from './types.ts'

/** A token's self-reported metadata. If unreadable, `symbol` is empty; `name` and `decimals` are undefined. */
export type Token = {
  symbol: string
  name: string | undefined
  decimals: number | undefined
  collection: AssetChange['assetType']
}

const abi = parseAbi([
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function decimals() view returns (uint8)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
])
const queries = [
  encodeFunctionData({ abi, functionName: 'symbol' }),
  encodeFunctionData({ abi, functionName: 'name' }),
  encodeFunctionData({ abi, functionName: 'decimals' }),
  // ERC-165 id of ERC-1155.
  encodeFunctionData({ abi, functionName: 'supportsInterface', args: ['0xd9b67a26'] }),
]
/** Gas limit of each query, so that no token can use up the gas of the others. */
const gas: Hex = '0x186a0'
const maxTextLength = 64

export function tokenCalls(tokens: readonly Address[], from: Address): SimulatedCall[] {
  return tokens.flatMap((to) => queries.map((data) => ({ from, to, data, gas })))
}

export function readTokens(tokens: readonly Address[], outcomes: readonly SimulatedOutcome[]): Map<Address, Token> {
  return new Map(
    tokens.map((token, index) => {
      const [symbol, name, decimals, isMulti] = outcomes
        .slice(index * queries.length, (index + 1) * queries.length)
        .map(({ success, returnData }) => (success ? returnData : '0x'))
      const places = readWord(decimals)
      return [
        token,
        {
          symbol: readText(symbol) ?? '',
          name: readText(name),
          decimals: places !== undefined && places <= 255n ? Number(places) : undefined,
          collection: readWord(isMulti) === 1n ? 'ERC1155' : 'ERC721',
        },
      ]
    }),
  )
}

function readWord(data: Hex | undefined): bigint | undefined {
  return data && size(data) >= 32 ? BigInt(data.slice(0, 66)) : undefined
}

/**
 * Reads a string, or 32 bytes as early tokens return. The token's author chose the text, so it is truncated and
 * stripped.
 */
function readText(data: Hex | undefined): string | undefined {
  if (!data || data === '0x') return undefined
  try {
    const text =
      size(data) === 32 ? hexToString(data, { size: 32 }) : decodeAbiParameters([{ type: 'string' }], data)[0]
    // Control and bidirectional characters could spoof adjacent text.
    return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, maxTextLength)
  } catch {
    return undefined
  }
}
