import type { z } from 'zod'
import { ServerError } from '../errors/ServerError.ts'

/**
 * Returns the JSON body of a request, at most 64 KiB, checked against a schema. Accepts any content type.
 *
 * @throws `BODY_TOO_LARGE`, `REQUEST_INVALID`.
 */
export async function readJson<schema extends z.ZodType>(request: Request, schema: schema): Promise<z.output<schema>> {
  return validate(schema, parseJson(await readBody(request)))
}

export declare namespace readBody {
  type Options = {
    /** @default 65536 */
    maxBytes?: number | undefined
    /** Called with each chunk's size before the chunk is stored. An error it throws ends reading. */
    onBytes?: ((bytes: number) => void) | undefined
  }
}

/**
 * Returns the exact bytes of a request or response, up to a limit. Reads nothing beyond the limit.
 *
 * @throws `BODY_TOO_LARGE` (413), `REQUEST_INVALID` for a body that breaks off.
 */
export async function readBody(
  request: Pick<Request, 'headers' | 'body' | 'arrayBuffer'>,
  options: readBody.Options = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const maxBytes = options.maxBytes ?? 65_536
  const length = request.headers.get('content-length') ?? ''
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  // Reads an uncompressed body in one step, since it ends at its Content-Length. Reading a stream costs more CPU time
  // than checking a stamp.
  const isBounded = /^\d+$/.test(length) && !request.headers.has('content-encoding')
  try {
    if (!isBounded) return await readStream(request.body, { maxBytes, onBytes: options.onBytes })
    options.onBytes?.(Number(length))
    return new Uint8Array(await request.arrayBuffer())
  } catch (error) {
    if (error instanceof ServerError) throw error
    throw new ServerError('The body could not be read to its end. Send it again.', {
      code: 'REQUEST_INVALID',
      cause: error,
    })
  }
}

async function readStream(
  stream: Request['body'],
  { maxBytes, onBytes }: { maxBytes: number; onBytes: readBody.Options['onBytes'] },
): Promise<Uint8Array<ArrayBuffer>> {
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
      onBytes?.(value.byteLength)
      chunks.push(value)
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined)
    throw error
  }
}

function tooLarge(maxBytes: number): ServerError {
  return new ServerError(`The body is larger than ${maxBytes} bytes. Send a smaller one.`, {
    code: 'BODY_TOO_LARGE',
    status: 413,
  })
}

/**
 * Parses bytes as JSON in UTF-8 (RFC 8259 § 8.1). Invalid UTF-8 is refused, not replaced.
 *
 * @throws `REQUEST_INVALID` (400).
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new ServerError('The request body is not JSON in UTF-8. Send one JSON object.', {
      code: 'REQUEST_INVALID',
      cause: error,
    })
  }
}

/**
 * Checks a value against a schema and returns the parsed value. The error lists at most five fields, in the text and in
 * `details` (`google.rpc.BadRequest`).
 *
 * @throws `REQUEST_INVALID` (400).
 */
export function validate<schema extends z.ZodType>(schema: schema, value: unknown, what = 'request'): z.output<schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fieldViolations = result.error.issues.slice(0, 5).map((issue) => ({
    field: issue.path.map(String).join('.'),
    description: issue.message,
  }))
  const text = fieldViolations.map(({ field, description }) => (field ? `${field}: ${description}` : description))
  throw new ServerError(`The ${what} is not valid. ${text.join('; ')}`, {
    code: 'REQUEST_INVALID',
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }],
  })
}
