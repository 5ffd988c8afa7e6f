import { decodeErrorResult, type Hex, isHex } from 'viem'
import { contractErrorsAbi } from './contractErrorsAbi.ts'

export declare namespace decodeRevert {
  type ReturnType = {
    /** Name of the contract's error, such as `NotAuthorized`; `Error` for a plain text. */
    errorName: string
    args: readonly unknown[]
    /** Text of a plain `Error`, or the name and arguments of the error, with those of a nested error last. */
    text: string
  }
}

/**
 * Decodes the error a contract reverted with; undefined if unknown.
 *
 * @example
 * ```ts
 * import { decodeRevert } from 'latchkey/accounts'
 *
 * const reverted = decodeRevert('0x4e487b710000000000000000000000000000000000000000000000000000000000000011')
 * console.log(reverted?.text) // Panic(17)
 * ```
 */
export function decodeRevert(data: string | undefined): decodeRevert.ReturnType | undefined {
  return decodeNested(data, 0)
}

/** Formats revert data as a sentence, or returns the data itself if unknown; undefined if there is none. */
export function formatRevert(data: string | undefined): string | undefined {
  if (!data || data === '0x') return undefined
  return decodeRevert(data)?.text ?? (data.startsWith('0x') ? `unknown error ${data}` : data)
}

/** Deepest nesting of errors: a hook in a plugin in an operation. */
const maxDepth = 4

function decodeNested(data: string | undefined, depth: number): decodeRevert.ReturnType | undefined {
  if (!data || !isHex(data) || depth === maxDepth) return undefined
  const found = decode(data)
  if (!found) return undefined
  const { errorName, args } = found
  if (errorName === 'Error') return { errorName, args, text: String(args[0]) }
  const last = args.at(-1)
  const inner = typeof last === 'string' ? decodeNested(last, depth + 1) : undefined
  const shown = inner ? args.slice(0, -1) : args
  return { errorName, args, text: `${errorName}(${shown.join(', ')})${inner ? `: ${inner.text}` : ''}` }
}

function decode(data: Hex): { errorName: string; args: readonly unknown[] } | undefined {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: contractErrorsAbi(), data })
    return { errorName, args }
  } catch {
    return undefined
  }
}
