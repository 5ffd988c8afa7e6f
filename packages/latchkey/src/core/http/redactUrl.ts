/**
 * Returns a URL that is safe for messages and logs: without user, password, query and fragment, and with the API key of
 * `/v2/{apiKey}` masked.
 */
export function redactUrl(url: string): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    // The text is not a URL, so it is cut at the first character that may start a secret.
    return maskKey(url.split(/[?#@]/, 1)[0] ?? '')
  }
  return maskKey(`${parsed.protocol}//${parsed.host}${parsed.pathname}`)
}

function maskKey(url: string): string {
  return url.replace(/\/v2\/[^/]+/, '/v2/***')
}
