import { ServerError } from './ServerError.ts'

/**
 * Reads the exact bytes of a request (or of an answer), before any parsing, up to a limit.
 *
 * @throws ServerError `BODY_TOO_LARGE` (413) as soon as the limit is passed; the rest is not read.
 */
export async function readBody(
  request: Pick<Request, 'headers' | 'body'>,
  options: readBody.Options = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const maxBytes = options.maxBytes ?? 65_536
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.byteLength
      if (size > maxBytes) throw tooLarge(maxBytes)
      chunks.push(value)
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined)
    if (error instanceof ServerError) throw error
    throw new ServerError('The body could not be read to its end. Send it again.', {
      code: 'REQUEST_INVALID',
      cause: error,
    })
  }
  const body = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}

export declare namespace readBody {
  type Options = {
    /** @default 65536 */
    maxBytes?: number | undefined
  }
}

function tooLarge(maxBytes: number): ServerError {
  return new ServerError(`The body is larger than ${maxBytes} bytes. Send a smaller one.`, {
    code: 'BODY_TOO_LARGE',
    status: 413,
  })
}
