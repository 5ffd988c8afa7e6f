import { ServerError } from './ServerError.ts'

/**
 * Reads the exact bytes of a request (or of an answer), before any parsing, up to a limit.
 *
 * @throws ServerError `BODY_TOO_LARGE` (413) as soon as the limit is passed; the rest is not read.
 */
export async function readBody(
  request: Pick<Request, 'headers' | 'body' | 'arrayBuffer'>,
  options: readBody.Options = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const maxBytes = options.maxBytes ?? 65_536
  const told = request.headers.get('content-length')
  if (Number(told ?? 0) > maxBytes) throw tooLarge(maxBytes)
  // HTTP ends a body at the length it told, unless it is packed. A stream would cost more than the request's signatures.
  const isBounded = /^\d+$/.test(told ?? '') && !request.headers.has('content-encoding')
  try {
    return isBounded ? new Uint8Array(await request.arrayBuffer()) : await readStream(request.body, maxBytes)
  } catch (error) {
    if (error instanceof ServerError) throw error
    throw new ServerError('The body could not be read to its end. Send it again.', {
      code: 'REQUEST_INVALID',
      cause: error,
    })
  }
}

async function readStream(stream: Request['body'], maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (!stream) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return new Uint8Array(Buffer.concat(chunks, size))
      size += value.byteLength
      if (size > maxBytes) throw tooLarge(maxBytes)
      chunks.push(value)
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined)
    throw error
  }
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
