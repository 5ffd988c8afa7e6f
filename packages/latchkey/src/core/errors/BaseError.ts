import type { ErrorCode } from '../../wire/errorCodes.ts'

export declare namespace BaseError {
  type Options = {
    code: ErrorCode
    /** Lines that say what to do now, or echo the failed request without secrets. */
    metaMessages?: readonly string[] | undefined
    /** Path under the documentation, for example `/signer/session`. */
    docsPath?: string | undefined
    /** Raw detail of the failure, such as a response text. @default that of `cause` */
    details?: string | undefined
    cause?: unknown
    /** Error name shown by `toString()`. @default 'LatchkeyError' */
    name?: string | undefined
  }
}

/**
 * Base of every error Latchkey throws. `message` is the short message, a blank line, the meta lines, and the
 * docs path and details when there are any; match it with "contains", or branch on `code`.
 */
export class BaseError extends Error {
  readonly code: ErrorCode
  readonly shortMessage: string
  readonly metaMessages: readonly string[]
  readonly docsPath: string | undefined
  readonly details: string | undefined

  constructor(shortMessage: string, options: BaseError.Options) {
    const details = options.details ?? readDetails(options.cause)
    const docsPath = options.docsPath ?? (options.cause instanceof BaseError ? options.cause.docsPath : undefined)
    super(render(shortMessage, options.metaMessages ?? [], docsPath, details), { cause: options.cause })
    this.name = options.name ?? 'LatchkeyError'
    this.code = options.code
    this.shortMessage = shortMessage
    this.metaMessages = options.metaMessages ?? []
    this.docsPath = docsPath
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
