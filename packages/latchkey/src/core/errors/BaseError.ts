import type { ErrorCode } from 'latchkey-protocol'

export declare namespace BaseError {
  type Options = {
    code: ErrorCode
    /** Sentence for the user. @default sentences of the message without URLs, JSON and method names */
    shortMessage?: string | undefined
    /** Lines with advice, or the failed request without secrets. */
    metaMessages?: readonly string[] | undefined
    /**
     * Documentation path to append to the message.
     * @default the code's section of `/errors`, which the message omits
     */
    docsPath?: string | undefined
    /** Raw detail of the failure, such as a response body. @default `details` of `cause` */
    details?: string | undefined
    cause?: unknown
    /** Error name shown by `toString()`. @default 'LatchkeyError' */
    name?: string | undefined
  }
}

/**
 * Base class of every error Latchkey throws. `message` consists of the first line, a blank line, the meta lines, and
 * the docs path and details, if any. Branch on `code`, or match substrings of `message`. `shortMessage` is a sentence
 * for the user; `docsPath` is the path of the error's documentation.
 */
export class BaseError extends Error {
  readonly code: ErrorCode
  readonly shortMessage: string
  readonly metaMessages: readonly string[]
  readonly docsPath: string
  readonly details: string | undefined

  constructor(message: string, options: BaseError.Options) {
    const details = options.details ?? readDetails(options.cause)
    const docsPath = options.docsPath ?? readPage(options.cause)
    super(render(message, options.metaMessages ?? [], docsPath, details), { cause: options.cause })
    this.name = options.name ?? 'LatchkeyError'
    this.code = options.code
    this.shortMessage = options.shortMessage ?? toSentences(message)
    this.metaMessages = options.metaMessages ?? []
    this.docsPath = docsPath ?? `/errors#${options.code.toLowerCase().replaceAll('_', '-')}`
    this.details = details
  }

  /** Returns the first error in the cause chain that satisfies `predicate`, or the root cause if no error does. */
  walk(predicate?: (error: unknown) => boolean): unknown {
    let current: unknown = this
    // A deeper chain is a cycle.
    for (let depth = 0; depth < 32; depth++) {
      if (predicate?.(current)) return current
      const cause: unknown = Object(current).cause
      if (cause === undefined || cause === null) return predicate ? null : current
      current = cause
    }
    return predicate ? null : current
  }
}

/**
 * Latchkey error with a known code, or an app's own error without a code, such as an error of a middleware.
 * `error.code` is a union type, so the compiler checks comparisons with it.
 */
export type CodedError<code extends ErrorCode = ErrorCode> =
  | (BaseError & { readonly code: code })
  | (Error & { readonly code?: undefined })

/** Text that users should not see: URLs, JSON, markup, and names of JSON-RPC or custody methods. */
const unreadable =
  /\w:\/\/|[{}<>[\]]|\b(?:alchemy|custody|debug|eth|latchkey|net|pm|query|rundler|submit|wallet|web3)_\w/i

export function isReadable(text: string): boolean {
  return text.trim() !== '' && !unreadable.test(text)
}

export function toSentences(text: string): string {
  if (isReadable(text)) return text
  const sentences = text.split(/(?<=[.!?])\s+|\n+/)
  const end = sentences.findIndex((sentence) => !isReadable(sentence))
  return sentences.slice(0, end).join(' ') || 'Something went wrong.'
}

/**
 * Returns the documentation page that the message of `cause` contains. Undefined for a section of a page, because
 * messages omit sections.
 */
function readPage(cause: unknown): string | undefined {
  return cause instanceof BaseError && !cause.docsPath.includes('#') ? cause.docsPath : undefined
}

function readDetails(cause: unknown): string | undefined {
  if (cause instanceof BaseError) return cause.details
  return readMessage(cause)
}

/** Returns the message of an error. Does not use `instanceof Error`, which is false for errors of another frame. */
export function readMessage(error: unknown): string | undefined {
  const { name, message } = Object(error)
  return name && typeof message === 'string' ? message : undefined
}

function render(shortMessage: string, meta: readonly string[], docsPath?: string, details?: string): string {
  const lines = [shortMessage]
  if (meta.length > 0) lines.push('', ...meta)
  if (docsPath || details) lines.push('')
  if (docsPath) lines.push(`Docs: docs${docsPath}`)
  if (details) lines.push(`Details: ${details}`)
  return lines.join('\n')
}
