/** Maximum logged characters of a message. */
const maxLength = 300

/**
 * Describes an error for a log line: its name, code and frames, and its message without callers' data. Messages of
 * libraries and of the database quote invalid values, such as `invalid input syntax for type uuid: "…"`. Returns
 * undefined for no error.
 */
export function describeError(error: unknown): string | undefined {
  if (error === undefined) return undefined
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  const name = typeof code === 'string' && /^[\w-]{1,64}$/.test(code) ? `${error.name} (${code})` : error.name
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line))
  return [`${name}: ${withoutValues(error)}`, ...frames].join('\n')
}

function withoutValues(error: Error): string {
  // Parsers quote their input.
  if (error instanceof SyntaxError) return 'something could not be parsed'
  return error.message
    .slice(0, 10_000)
    .replace(/\w+:\/\/\S+/g, '…')
    .replace(/\S+@\S+/g, '…')
    .replace(/"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”/g, (quoted) => (isWord(quoted.slice(1, -1)) ? quoted : '"…"'))
    .replace(/[\w+/=.-]{20,}/g, (text) => (isWord(text) ? text : '…'))
    .replace(/\b(?:\d[\s-]?){6,}\b/g, '…')
    .slice(0, maxLength)
}

/** Returns whether text is an identifier of code, a column or a constraint: lower case, no digit. */
function isWord(text: string): boolean {
  return /^[a-z]+(?:[_.][a-z]+){1,8}$/.test(text) || /^[a-z]+(?:[A-Z][a-z]+){0,4}$/.test(text)
}
