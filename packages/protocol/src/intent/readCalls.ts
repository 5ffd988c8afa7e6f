import { type AbiValue, decodeArguments, type Hex } from './decodeArguments.ts'

/** A call of a contract. Address and data are in lower case; `value` in wei. */
export type Call = { to: Hex; value: bigint; data: Hex }

/**
 * Call forms of light, modular and other ERC-4337 accounts. `toCalls` returns undefined for lists of different lengths.
 */
const executions: Readonly<
  Record<string, { types: string; toCalls(args: readonly AbiValue[]): (readonly AbiValue[])[] | undefined }>
> = {
  // execute(address,uint256,bytes)
  '0xb61d27f6': { types: '(address,uint256,bytes)', toCalls: (args) => [args] },
  // executeBatch(address[],bytes[])
  '0x18dfb3c7': { types: '(address[],bytes[])', toCalls: ([to, data]) => zip(to, undefined, data) },
  // executeBatch(address[],uint256[],bytes[])
  '0x47e1da2a': { types: '(address[],uint256[],bytes[])', toCalls: ([to, value, data]) => zip(to, value, data) },
  // executeBatch((address,uint256,bytes)[])
  '0x34fcd5be': { types: '((address,uint256,bytes)[])', toCalls: ([calls]) => toList(calls).map(toList) },
  // executeWithSessionKey((address,uint256,bytes)[],address)
  '0x31d99c2c': { types: '((address,uint256,bytes)[],address)', toCalls: ([calls]) => toList(calls).map(toList) },
}

const toList = (value: AbiValue | undefined): readonly AbiValue[] => (Array.isArray(value) ? value : [])

/** Accounts refuse lists of different lengths, or interpret them differently. */
function zip(to: AbiValue | undefined, value: AbiValue | undefined, data: AbiValue | undefined) {
  const [targets, values, datas] = [toList(to), value === undefined ? undefined : toList(value), toList(data)]
  if (datas.length !== targets.length || (values && values.length !== targets.length)) return undefined
  return targets.map((target, index) => [target, values?.[index] ?? 0n, datas[index] ?? '0x'])
}

/** Returns hex in lower case. */
export const toLowerHex = (hex: string): Hex => `0x${hex.slice(2).toLowerCase()}`

/** Returns whether call data has the selector of a form in which accounts make calls. */
export const makesCalls = (callData: string): boolean => Object.hasOwn(executions, callData.slice(0, 10).toLowerCase())

/**
 * Reads the calls in an operation's call data; none for empty call data. Returns undefined for a form that is unknown or
 * not in its canonical encoding, which a contract may read differently.
 *
 * @example
 * ```ts
 * import { readCalls } from 'latchkey-protocol'
 *
 * console.log(readCalls('0x')?.length)
 * ```
 */
export function readCalls(callData: string): Call[] | undefined {
  if (callData === '0x') return []
  const data = callData.toLowerCase()
  const selector = data.slice(0, 10)
  const execution = Object.hasOwn(executions, selector) ? executions[selector] : undefined
  const args = execution && decodeArguments(execution.types, data.slice(10))
  return args && execution.toCalls(args)?.map(([to, value, bytes]) => toCall(to, value, bytes))
}

function toCall(to: AbiValue | undefined, value: AbiValue | undefined, data: AbiValue | undefined): Call {
  return {
    to: typeof to === 'string' ? to : '0x',
    value: typeof value === 'bigint' ? value : 0n,
    data: typeof data === 'string' ? data : '0x',
  }
}
