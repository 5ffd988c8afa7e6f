/**
 * The origins the server filled into `<meta name="latchkey-parent-origins">`, space-separated. Fails closed: a page
 * whose placeholder was never filled allows none.
 */
export function readAllowedOrigins(): string[] {
  const content = document.querySelector('meta[name="latchkey-parent-origins"]')?.getAttribute('content') ?? ''
  return content.split(/\s+/).filter((origin) => /^https?:\/\/[^/]+$/.test(origin))
}
