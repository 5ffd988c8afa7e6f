/**
 * Returns the message for a refused code, in the wording of the custody API.
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
 * Returns the number of attempts in the text of {@link codeRefusedText}, for clients that show it in another language.
 * Returns undefined for any other text.
 *
 * @example
 * ```ts
 * import { codeRefusedText, readAttemptsLeft } from 'latchkey-protocol'
 *
 * console.log(readAttemptsLeft(codeRefusedText(4)))
 * ```
 */
export function readAttemptsLeft(text: string): number | undefined {
  const found = /^That code isn't right\. (\d{1,2}) (?:try|tries) left\.$/.exec(text)
  return found ? Number(found[1]) : undefined
}
