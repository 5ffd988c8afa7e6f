/**
 * Parses a URL, relative to `base` if given; undefined if invalid. `URL.canParse`, once optimized by Node 20, refuses
 * Latin-1 letters, such as in https://bücher.example.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
