import { BaseError } from './BaseError.ts'

export declare namespace HttpError {
  type Options = {
    /** HTTP status of the answer. */
    status: number
    /** Where the request went, already without query and keys. */
    url: string
    /** Text of the answer, as it came. */
    responseText: string
  }
}

const longest = 2000

/**
 * A server answered with a status outside 2xx (code `HTTP_FAILED`). The short message is the server's own `message`
 * when the answer is JSON with one, else the text of the answer, else the status.
 */
export class HttpError extends BaseError {
  readonly status: number
  readonly responseText: string
  /** The server's own code: a word of Latchkey's list, or the number of a gRPC-style status. */
  readonly serverCode: string | number | undefined
  /** The `details` member of a gRPC-style status; undefined when there is none. */
  readonly serverDetails: unknown

  constructor(options: HttpError.Options) {
    const answer = parse(options.responseText)
    const text = options.responseText.trim().slice(0, longest)
    super(answer?.message ?? (text || `The server answered with status ${options.status}.`), {
      code: 'HTTP_FAILED',
      metaMessages: [`URL: ${options.url}`, `Status: ${options.status}`],
      name: 'HttpError',
    })
    this.status = options.status
    this.responseText = options.responseText
    this.serverCode = answer?.code
    this.serverDetails = answer?.details
  }
}

function parse(text: string): { code: string | number | undefined; message: string; details: unknown } | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { code, message, details } = value as { code?: unknown; message?: unknown; details?: unknown }
  if (typeof message !== 'string' || message === '') return undefined
  return { code: typeof code === 'string' || typeof code === 'number' ? code : undefined, message, details }
}
