/**
 * Ordered list: each browser precedes the browsers that its user agent also mentions. Edge mentions Chrome, Chrome
 * mentions Safari, and Android mentions Linux.
 */
const browsers = [
  ['Edge', /Edg/],
  ['Samsung Internet', /SamsungBrowser/],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox|FxiOS/],
  ['Chrome', /Chrom|CriOS/],
  ['Safari', /Safari/],
] as const
const systems = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['Mac', /Mac/],
  ['Chromebook', /CrOS/],
  ['Linux', /Linux/],
] as const

/** Returns a readable name of the browser, such as `Chrome on Windows`; undefined for an unknown user agent. */
export function deviceName(userAgent: string): string | undefined {
  const find = (table: readonly (readonly [string, RegExp])[]) => table.find(([, sign]) => sign.test(userAgent))?.[0]
  const browser = find(browsers)
  const system = find(systems)
  return browser && system ? `${browser} on ${system}` : (system ?? browser)
}
