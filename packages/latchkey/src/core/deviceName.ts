/** Each name stands before those that mention it too: Edge says Chrome, Chrome says Safari, and Android says Linux. */
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

/** What a person would call this browser in a list, such as `Chrome on Windows`; undefined where it does not say. */
export function deviceName(userAgent: string): string | undefined {
  const find = (table: readonly (readonly [string, RegExp])[]) => table.find(([, sign]) => sign.test(userAgent))?.[0]
  const browser = find(browsers)
  const system = find(systems)
  return browser && system ? `${browser} on ${system}` : (system ?? browser)
}
