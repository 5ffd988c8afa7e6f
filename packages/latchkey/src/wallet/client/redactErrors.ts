import type { Transport } from 'viem'
import { listCauses } from '../../accounts/errors/RpcError.ts'
import { redactUrl } from '../../core/http/redactUrl.ts'

/** Members of viem's errors that may contain a URL. `stack` repeats the message. */
const members = ['url', 'message', 'shortMessage', 'details', 'stack'] as const

/** Wraps a transport and redacts URLs in its errors, because viem's errors contain the URL with the API key. */
export function redactErrors(transport: Transport): Transport {
  return (options) => {
    const made = transport(options)
    const request: typeof made.request = async (call, settings) => {
      try {
        return await made.request(call, settings)
      } catch (error) {
        redact(listCauses(error))
        throw error
      }
    }
    return { ...made, request }
  }
}

function redact(causes: ReturnType<typeof listCauses>): void {
  const urls = causes.flatMap(({ url }) => (typeof url === 'string' ? [url] : []))
  const clean = (text: unknown) =>
    typeof text === 'string' ? urls.reduce((rest, url) => rest.replaceAll(url, redactUrl(url)), text) : text
  for (const fields of causes) {
    for (const member of members) if (member in fields) fields[member] = clean(fields[member])
    if (Array.isArray(fields.metaMessages)) fields.metaMessages = fields.metaMessages.map(clean)
  }
}
