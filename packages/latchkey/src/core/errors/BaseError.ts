import type { ErrorCode } from 'latchkey-protocol'

export declare namespace BaseError {
  type Options = {
    code: ErrorCode
    /** A sentence for the user. @default the message's own sentences that hold no URL, JSON or method name */
    shortMessage?: string | undefined
    /** Lines that say what to do now, or echo the failed request without secrets. */
    metaMessages?: readonly string[] | undefined
    /** Path under the documentation, which the message then names. @default the code's section of `/errors` */
    docsPath?: string | undefined
    /** Raw detail of the failure, such as a response text. @default that of `cause` */
    details?: string | undefined
    cause?: unknown
    /** Error name shown by `toString()`. @default 'LatchkeyError' */
    name?: string | undefined
  }
}

/**
 * Base of every error Latchkey throws. `message` is its first line, a blank line, the meta lines, and the docs path and
 * details when there are any; match it with "contains", or branch on `code`. `shortMessage` is a sentence for the user;
 * `docsPath` leads to where the docs explain the error.
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

  /** The first error of the cause chain that satisfies `predicate`; without one, the root cause. */
  walk(predicate?: (error: unknown) => boolean): unknown {
    let current: unknown = this
    // A deeper chain is a cycle.
    for (let depth = 0; depth < 32; depth++) {
      if (predicate?.(current)) return current
      const cause: unknown = current instanceof Error ? current.cause : undefined
      if (cause === undefined || cause === null) return predicate ? null : current
      current = cause
    }
    return predicate ? null : current
  }
}

/**
 * An error of Latchkey's with one of the codes, or one of the app's own, as of a middleware, which has none of them.
 * `error.code` is then a union that the compiler checks comparisons with.
 */
export type CodedError<code extends ErrorCode = ErrorCode> =
  | (BaseError & { readonly code: code })
  | (Error & { readonly code?: undefined })

/** What no user reads: URLs, JSON, markup, names of JSON-RPC and custody methods. */
const unreadable =
  /\w:\/\/|[{}<>[\]]|\b(?:alchemy|custody|debug|eth|latchkey|net|pm|query|rundler|submit|wallet|web3)_\w/i

/** Whether a text can be shown to a user as it is. */
export function isReadable(text: string): boolean {
  return text.trim() !== '' && !unreadable.test(text)
}

/** The sentences a text begins with, as far as a user can read them. */
export function toSentences(text: string): string {
  if (isReadable(text)) return text
  const sentences = text.split(/(?<=[.!?])\s+|\n+/)
  const end = sentences.findIndex((sentence) => !isReadable(sentence))
  return sentences.slice(0, end).join(' ') || 'Something went wrong.'
}

/** The page that the message of `cause` names. A section, such as that of its code, is in no message. */
function readPage(cause: unknown): string | undefined {
  return cause instanceof BaseError && !cause.docsPath.includes('#') ? cause.docsPath : undefined
}

function readDetails(cause: unknown): string | undefined {
  if (cause instanceof BaseError) return cause.details
  return cause instanceof Error ? cause.message : undefined
}

function render(shortMessage: string, meta: readonly string[], docsPath?: string, details?: string): string {
  const lines = [shortMessage]
  if (meta.length > 0) lines.push('', ...meta)
  if (docsPath || details) lines.push('')
  if (docsPath) lines.push(`Docs: docs${docsPath}`)
  if (details) lines.push(`Details: ${details}`)
  return lines.join('\n')
}
