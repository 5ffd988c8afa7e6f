import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

test('default', () => {
  const settings = { styles: { color: 'red' }, enablePassphrase: true, passphraseStyles: { padding: '1px' } }
  expect(readSettings(JSON.stringify(settings))).toEqual(settings)
})

test('behavior: what is left out is empty or off', () => {
  expect(readSettings('{}')).toEqual({ styles: {}, enablePassphrase: false, passphraseStyles: {} })
})

test.each([
  '',
  '{',
  'null',
  '"styles"',
  '{"styles":null}',
  '{"styles":"x"}',
  '{"passphraseStyles":[]}',
  '{"enablePassphrase":"yes"}',
])('error: settings %j', (text) => {
  expect(() => readSettings(text)).toThrow('the settings')
})
