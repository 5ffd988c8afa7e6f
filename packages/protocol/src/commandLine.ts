/**
 * Returns the name that a mistyped text probably means: the only name that begins with the text, or the closest name
 * (Levenshtein). The closest name may differ by one edit per three typed letters, and by at most two edits. Returns
 * undefined if no name is close.
 *
 * @example
 * ```ts
 * import { nearest } from 'latchkey-protocol/commandLine'
 *
 * console.log(nearest('docter', ['doctor', 'start'])) // 'doctor'
 * ```
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const begun = typed.length > 2 ? names.filter((name) => name.startsWith(typed)) : []
  if (begun.length === 1) return begun[0]
  const limit = Math.min(2, Math.floor(typed.length / 3))
  const [best] = names
    .map((name) => ({ name, edits: countEdits(typed, name) }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits)
  return best?.name
}

/**
 * Returns a sentence that suggests an option for a mistyped one; '' if the error contains no option. Never repeats
 * values of the command line, which may be secret.
 *
 * @example
 * ```ts
 * import { suggestOption } from 'latchkey-protocol/commandLine'
 *
 * const error = Object.assign(new TypeError("Unknown option '--jsn'"), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' })
 * console.log(suggestOption(error, ['json'])) // ' Did you mean --json?'
 * ```
 */
export function suggestOption(error: unknown, names: readonly string[]): string {
  const { code, message } = error as { code?: string; message: string }
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return ''
  const typed = /'--?([\w-]+)/.exec(message)?.[1] ?? ''
  const found = nearest(typed, names)
  return found === undefined ? '' : ` Did you mean --${found}?`
}

/**
 * Counts the edits between two words: letters to insert, remove, replace or swap with the next one (optimal string
 * alignment).
 */
function countEdits(one: string, other: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (let column = 0; column < other.length; column++) {
      const replaced = (row[column] ?? 0) + (other[column] === letter ? 0 : 1)
      const isSwapped = index > 0 && column > 0 && other[column - 1] === letter && other[column] === one[index - 1]
      const swapped = isSwapped ? (before[column - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
