import { decodeErrorResult, type Hex, isHex } from 'viem'
import { contractErrorsAbi } from './contractErrorsAbi.ts'

export declare namespace decodeRevert {
  type ReturnType = {
    /** Name of the contract's error, such as `NotAuthorized`; `Error` for a plain text. */
    errorName: string
    args: readonly unknown[]
    /** The text of a plain `Error`, else name and values, those of an error inside another one last. */
    text: string
  }
}

/** How deep errors are nested at most: a hook in a plugin in an operation. */
const maxDepth = 4

/** What a contract said when it reverted; undefined where that is nothing known. */
export function decodeRevert(data: string | undefined, depth = 0): decodeRevert.ReturnType | undefined {
  if (!data || !isHex(data) || depth === maxDepth) return undefined
  const found = decode(data)
  if (!found) return undefined
  const { errorName, args } = found
  if (errorName === 'Error') return { errorName, args, text: String(args[0]) }
  const last = args.at(-1)
  const inner = typeof last === 'string' ? decodeRevert(last, depth + 1) : undefined
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
