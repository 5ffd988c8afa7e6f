import type { ErrorCode } from 'latchkey-protocol'

export declare namespace BaseError {
  type Options = {
    code: ErrorCode
    /** Sentence for the user. @default the sentences of the message that contain no URL, JSON or method name */
    shortMessage?: string | undefined
    /** Lines with advice, or the failed request without secrets. */
    metaMessages?: readonly string[] | undefined
    /** Documentation path, which the message then contains. @default the code's section of `/errors` */
    docsPath?: string | undefined
    /** Raw detail of the failure, such as a response text. @default that of `cause` */
    details?: string | undefined
    cause?: unknown
    /** Error name shown by `toString()`. @default 'LatchkeyError' */
    name?: string | undefined
  }
}

/**
 * Base class of every error Latchkey throws. `message` consists of the first line, a blank line, the meta lines, and
 * the docs path and details, if any. Match it by substring, or branch on `code`. `shortMessage` is a sentence for the
 * user; `docsPath` leads to the documentation of the error.
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

  /** Returns the first error of the cause chain that satisfies `predicate`; if there is none, the root cause. */
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
 * Latchkey error with one of the codes, or an app's own error without a code, for example from a middleware. The type
 * of `error.code` is a union, so the compiler checks comparisons with it.
 */
export type CodedError<code extends ErrorCode = ErrorCode> =
  | (BaseError & { readonly code: code })
  | (Error & { readonly code?: undefined })

/** Text unfit for users: URLs, JSON, markup, and names of JSON-RPC or custody methods. */
const unreadable =
  /\w:\/\/|[{}<>[\]]|\b(?:alchemy|custody|debug|eth|latchkey|net|pm|query|rundler|submit|wallet|web3)_\w/i

/** Checks whether a text can be shown to a user unchanged. */
export function isReadable(text: string): boolean {
  return text.trim() !== '' && !unreadable.test(text)
}

/** Returns the leading sentences of a text that a user can read. */
export function toSentences(text: string): string {
  if (isReadable(text)) return text
  const sentences = text.split(/(?<=[.!?])\s+|\n+/)
  const end = sentences.findIndex((sentence) => !isReadable(sentence))
  return sentences.slice(0, end).join(' ') || 'Something went wrong.'
}

/** Returns the page named by the message of `cause`; undefined for a section of a page, which messages do not name. */
function readPage(cause: unknown): string | undefined {
  return cause instanceof BaseError && !cause.docsPath.includes('#') ? cause.docsPath : undefined
}

function readDetails(cause: unknown): string | undefined {
  if (cause instanceof BaseError) return cause.details
  return readMessage(cause)
}

/** Returns the message of an error from any realm: for errors of another frame, `instanceof Error` is false. */
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
