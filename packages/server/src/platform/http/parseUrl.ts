/**
 * Parses a URL, relative to `base` where given; undefined if invalid. `URL.canParse`, once optimized, refuses Latin-1 letters in Node 20,
 * such as https://bücher.example.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
