import { expect, test } from 'vitest'
import { codeRefusedText, readAttemptsLeft } from './mailCode.ts'

test('default: the number of attempts is read from the text', () => {
  expect(codeRefusedText(1)).toBe('The code is not right. 1 attempt is left.')
  for (const left of [0, 1, 4]) expect(readAttemptsLeft(codeRefusedText(left))).toBe(left)
})

test('error: no number from any other text', () => {
  for (const text of ['', 'The code is not right.', '4 attempts are left.', `${codeRefusedText(4)} Or 5.`])
    expect(readAttemptsLeft(text)).toBe(undefined)
})
