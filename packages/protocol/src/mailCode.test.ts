import { expect, test } from 'vitest'
import { codeRefusedText, readAttemptsLeft } from './mailCode.ts'

test('reads the number of attempts from the text', () => {
  expect(codeRefusedText(1)).toBe("That code isn't right. 1 try left.")
  for (const left of [0, 1, 4]) expect(readAttemptsLeft(codeRefusedText(left))).toBe(left)
})

test('reads no number from any other text', () => {
  for (const text of ['', "That code isn't right.", '4 tries left.', `${codeRefusedText(4)} Or 5.`])
    expect(readAttemptsLeft(text)).toBe(undefined)
})
