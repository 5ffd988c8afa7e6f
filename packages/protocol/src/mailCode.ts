/**
 * Returns the message for a refused code, worded as on the wire.
 *
 * @example
 * ```ts
 * import { codeRefusedText } from 'latchkey-protocol'
 *
 * console.log(codeRefusedText(4))
 * ```
 */
export function codeRefusedText(attemptsLeft: number): string {
  return `That code isn't right. ${attemptsLeft} ${attemptsLeft === 1 ? 'try' : 'tries'} left.`
}

/**
 * Returns the number of attempts in the text of {@link codeRefusedText}, for a client that shows it in another language, or
 * undefined for any other text.
 *
 * @example
 * ```ts
 * import { codeRefusedText, readAttemptsLeft } from 'latchkey-protocol'
 *
 * console.log(readAttemptsLeft(codeRefusedText(4)))
 * ```
 */
export function readAttemptsLeft(text: string): number | undefined {
  const found = forms.map((form) => form.exec(text)).find((match) => match !== null)
  return found ? Number(found[1]) : undefined
}

/** Includes the wording of older servers. */
const forms = [
  /^That code isn't right\. (\d{1,2}) (?:try|tries) left\.$/,
  /^The code is not right\. (\d{1,2}) attempts? (?:is|are) left\.$/,
]
