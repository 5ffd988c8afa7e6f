/**
 * Parses an absolute URL; undefined if invalid. `URL.canParse`, once optimized, refuses Latin-1 letters in Node 20,
 * such as https://bücher.example.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
