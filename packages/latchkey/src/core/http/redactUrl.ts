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
    return url.split(/[?#@]/, 1)[0] ?? ''
  }
  const path = parsed.pathname.replace(/\/v2\/[^/]+/, '/v2/***')
  return `${parsed.protocol}//${parsed.host}${path}`
}
