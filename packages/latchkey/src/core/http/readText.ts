import { BaseError } from '../errors/BaseError.ts'

/** No answer of a service comes near; more would fill the page's memory. */
const mostBytes = 16 * 1024 * 1024

/** The text of an answer. One that goes on and on fails with `RESPONSE_INVALID`; `url` is for the message. */
export async function readText(response: Response, url: string): Promise<string> {
  // Where the platform cannot stream (React Native), it has read the answer already.
  if (!response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
    if (bytes > mostBytes) {
      reader.cancel().catch(() => undefined)
      throw tooLongError(url)
    }
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

function tooLongError(url: string): BaseError {
  return new BaseError('The server answered with more than 16 MB.', {
    code: 'RESPONSE_INVALID',
    metaMessages: [`URL: ${url}`, 'Check that the URL is the API and not a file behind it.'],
  })
}
