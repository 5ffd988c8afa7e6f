import { confirmationActions } from 'latchkey-protocol'
import { expect, test } from 'vitest'
import { french } from './french.ts'
import { german } from './german.ts'
import { japanese } from './japanese.ts'
import { spanish } from './spanish.ts'
import { createTranslate, fill, findLanguage } from './translate.ts'

const inGerman = createTranslate('de')

test("takes the first of the browser's languages that has texts", () => {
  expect(findLanguage(['pt-BR', 'ja-JP', 'de'])).toBe('ja')
  expect(findLanguage(['en-GB', 'de'])).toBe('en')
  expect(findLanguage(['pt', 'constructor'])).toBe('en')
  expect(findLanguage([])).toBe('en')
})

test('keeps numbers and their order, and what it has no text for', () => {
  expect(inGerman('Call 1 of 12')).toBe('Aufruf 1 von 12')
  expect(inGerman('Above your limit of 0.25 a day')).toBe('Über Ihrem Limit von 0.25 pro Tag')
  expect(createTranslate('en')('Call 1 of 12')).toBe('Call 1 of 12')
  for (const text of ['ada@example.com', '0x51dD', 'Ada’s phone', 'toString', '']) expect(inGerman(text)).toBe(text)
  expect(fill(inGerman('You send {what} to {whom}'), { what: '$& 1 ETH', whom: 'Ada' })).toBe(
    'Sie senden $& 1 ETH an Ada',
  )
})

test('has the title of every request', () => {
  for (const action of Object.values(confirmationActions)) expect(Object.keys(german)).toContain(`${action}?`)
})

test.each(Object.entries({ german, french, spanish, japanese }))('keeps every placeholder in %s', (_, dictionary) => {
  const placeholders = (text: string) => (text.match(/#|\{\w+\}/g) ?? []).sort()
  for (const [english, text] of Object.entries(dictionary))
    expect([english, placeholders(text)]).toEqual([english, placeholders(english)])
})
