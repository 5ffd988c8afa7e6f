/**
 * Reads an absolute URL; undefined where the text is none. Not `URL.canParse`: once optimised, Node 20's refuses letters
 * of Latin-1, as of https://bücher.example.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
