/** Makes characters visible that would reorder or hide adjacent text, or break its lines. */
export function toVisible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
}
