/** The six-digit code of a mail: a line of its text that holds nothing else. Null for a mail without one. */
export function findCode({ text }: { text: string }): string | null {
  return /^[ \t]*(\d{6})[ \t]*$/m.exec(text)?.[1] ?? null
}
