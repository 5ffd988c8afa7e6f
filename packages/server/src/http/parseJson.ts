import { ServerError } from './ServerError.ts'

/**
 * Parses bytes as UTF-8 JSON (RFC 8259), refusing invalid UTF-8 instead of replacing it.
 *
 * @throws ServerError `REQUEST_INVALID` (400)
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
