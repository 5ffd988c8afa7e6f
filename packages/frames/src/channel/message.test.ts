import { expect, test } from 'vitest'
import { messageText } from './message.ts'

test('returns the text', () => {
  expect(messageText(' text ', 'a bundle')).toBe(' text ')
  expect(messageText('x'.repeat(1_000_000), 'a bundle')).toHaveLength(1_000_000)
})

test.each([undefined, null, '', 5, {}, ['text'], 'x'.repeat(1_000_001)])('refuses %j', (value) => {
  expect(() => messageText(value, 'a bundle')).toThrow('a bundle was expected')
})
