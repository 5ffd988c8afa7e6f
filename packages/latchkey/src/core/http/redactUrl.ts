/**
 * A URL fit for an error message or a log: without user name, password, query and fragment, and with the API key of
 * a `/v2/{apiKey}` path masked.
 */
export function redactUrl(url: string): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    // Not a URL: everything from the first character that may start a secret is left out.
    return withoutKey(url.split(/[?#@]/, 1)[0] ?? '')
  }
  return withoutKey(`${parsed.protocol}//${parsed.host}${parsed.pathname}`)
}

function withoutKey(url: string): string {
  return url.replace(/\/v2\/[^/]+/, '/v2/***')
}
