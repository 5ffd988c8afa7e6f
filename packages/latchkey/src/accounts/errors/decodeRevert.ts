import { decodeErrorResult, type Hex, isHex } from 'viem'
import { contractErrorsAbi } from './contractErrorsAbi.ts'

export declare namespace decodeRevert {
  type ReturnType = {
    /** Name of the contract's error, such as `NotAuthorized`; `Error` for a revert reason. */
    errorName: string
    args: readonly unknown[]
    /** Revert reason, or the error's name and arguments, followed by those of nested errors. */
    text: string
  }
}

/**
 * Decodes the error with which a contract reverted. Returns undefined for an unknown error.
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

/** Formats revert data as a sentence. Returns the data itself if the error is unknown; undefined without data. */
export function formatRevert(data: string | undefined): string | undefined {
  if (!data || data === '0x') return undefined
  return decodeRevert(data)?.text ?? (data.startsWith('0x') ? `unknown error ${data}` : data)
}

/** Maximum nesting of errors: a hook in a plugin in an operation. */
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
