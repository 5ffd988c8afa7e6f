import { type Address, decodeFunctionData, encodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem'

/** A call that an account makes. The address is in lower case. */
export type AccountCall = { to: Address; value: bigint; data: Hex }

/** Reads one form of call data, and encodes what it read. */
type Form = (data: Hex) => { calls: AccountCall[] | undefined; encoded: Hex }

const one = parseAbi(['function execute(address dest, uint256 value, bytes func)'])
const batch = parseAbi(['function executeBatch(address[] dest, bytes[] func)'])
const batchWithValues = parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)'])
const struct = 'struct Call { address target; uint256 value; bytes data; }'
const batchOfStructs = parseAbi([struct, 'function executeBatch(Call[] calls)'])
const bySessionKey = parseAbi([struct, 'function executeWithSessionKey(Call[] calls, address sessionKey)'])

/** Layout of a list of structs: after target, value and the offset of the bytes. */
const structs = { argument: 0, lengthAt: 96 } as const

const unread = { calls: undefined, encoded: '0x' } as const

/** Forms by selector: light and multi-owner light accounts, modular accounts, and their session keys. */
const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    toFunctionSelector(one[0]),
    (data) => {
      const { args } = decodeFunctionData({ abi: one, data })
      const [to, value, func] = args
      return { calls: [toCall(to, value, func)], encoded: encodeFunctionData({ abi: one, args }) }
    },
  ],
  [
    toFunctionSelector(batch[0]),
    (data) => {
      if (!fits(data, { argument: 1, lengthAt: 0 })) return unread
      const { args } = decodeFunctionData({ abi: batch, data })
      const calls = zip(args[0], undefined, args[1])
      return { calls, encoded: encodeFunctionData({ abi: batch, args }) }
    },
  ],
  [
    toFunctionSelector(batchWithValues[0]),
    (data) => {
      if (!fits(data, { argument: 2, lengthAt: 0 })) return unread
      const { args } = decodeFunctionData({ abi: batchWithValues, data })
      return { calls: zip(...args), encoded: encodeFunctionData({ abi: batchWithValues, args }) }
    },
  ],
  [
    toFunctionSelector(batchOfStructs[0]),
    (data) => {
      if (!fits(data, structs)) return unread
      const { args } = decodeFunctionData({ abi: batchOfStructs, data })
      return { calls: args[0].map(fromStruct), encoded: encodeFunctionData({ abi: batchOfStructs, args }) }
    },
  ],
  [
    toFunctionSelector(bySessionKey[0]),
    (data) => {
      if (!fits(data, structs)) return unread
      const { args } = decodeFunctionData({ abi: bySessionKey, data })
      return { calls: args[0].map(fromStruct), encoded: encodeFunctionData({ abi: bySessionKey, args }) }
    },
  ],
])

/**
 * Decodes the calls in an operation's call data; none for empty call data. Returns undefined for a form that is unknown
 * or not canonically encoded, which a contract may read differently.
 */
export function decodeCalls(callData: Hex): AccountCall[] | undefined {
  if (callData === '0x') return []
  const data = callData.toLowerCase() as Hex
  const form = forms.get(data.slice(0, 10))
  if (!form) return undefined
  try {
    const { calls, encoded } = form(data)
    return encoded === data ? calls : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns whether the elements of a list fit into the data. Offsets can name the same bytes repeatedly, and decoding
 * those would take seconds. `argument`: index of the list; `lengthAt`: position of an element's length.
 */
function fits(data: Hex, { argument, lengthAt }: { argument: number; lengthAt: number }): boolean {
  const bytes = (data.length - 10) / 2
  const readWord = (at: number) => {
    const digits = data.slice(10 + at * 2, 74 + at * 2)
    return digits.length === 64 ? Number(`0x${digits}`) : Number.NaN
  }
  const list = readWord(argument * 32)
  const count = readWord(list)
  let left = bytes - count * 32
  for (let index = 0; index < count && left >= 0; index++)
    left -= 32 + readWord(list + 32 + readWord(list + 32 + index * 32) + lengthAt)
  return left >= 0
}

/** Returns undefined for lists of different lengths, which accounts refuse or interpret differently. */
function zip(
  to: readonly Address[],
  values: readonly bigint[] | undefined,
  data: readonly Hex[],
): AccountCall[] | undefined {
  if (data.length !== to.length || (values && values.length !== to.length)) return undefined
  return to.map((address, index) => toCall(address, values?.[index] ?? 0n, data[index] ?? '0x'))
}

function fromStruct({ target, value, data }: { target: Address; value: bigint; data: Hex }): AccountCall {
  return toCall(target, value, data)
}

function toCall(to: Address, value: bigint, data: Hex): AccountCall {
  return { to: to.toLowerCase() as Address, value, data }
}
