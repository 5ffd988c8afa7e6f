import { describe, expect, test } from 'vitest'
import { readSettings, readStyles } from './settings.ts'

test('reads all settings', () => {
  const settings = { styles: { color: 'red' }, enablePassphrase: true, passphraseStyles: { padding: '1px' } }
  expect(readSettings(JSON.stringify(settings))).toEqual(settings)
})

test('fills in defaults', () => {
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
])('refuses the settings %j', (text) => {
  expect(() => readSettings(text)).toThrow('the settings')
})

describe('styles', () => {
  const good = {
    padding: '10px 1.5em',
    margin: '0 auto',
    borderWidth: '1px',
    borderStyle: 'solid',
    borderColor: '#e4e2dc',
    borderRadius: '12px',
    fontSize: '14px',
    fontWeight: '600',
    fontFamily: 'Inter, sans-serif',
    color: 'rgba(20, 22, 26, 0.9)',
    labelColor: 'hsl(120deg 50% 50%)',
    backgroundColor: 'black',
    width: '100%',
    height: 'auto',
    maxWidth: '20rem',
    maxHeight: 'none',
    lineHeight: '1.5',
    boxShadow: '0 1px 2px #0003',
    textAlign: 'center',
    overflowWrap: 'anywhere',
    wordWrap: 'break-word',
    resize: 'none',
  }

  test('accept every allowed property', () => {
    expect(readStyles(good)).toEqual(good)
    expect(readStyles({})).toEqual({})
  })

  test.each<Record<string, unknown>>([
    { position: 'fixed' },
    { background: 'red' },
    { backgroundImage: 'none' },
    { 'background-color': 'red' },
    { constructor: 'x' },
    { display: 'none' },
  ])('refuse the property %j', (styles) => {
    expect(() => readStyles(styles)).toThrow('unsupported style')
  })

  test.each<Record<string, unknown>>([
    { color: 'url(https://evil.example)' },
    { color: 'red; background: url(x)' },
    { color: 'var(--x)' },
    { color: 1 },
    { color: null },
    { color: '' },
    { padding: 'calc(1px + 1px)' },
    { padding: '1px 1px 1px 1px 1px' },
    { width: '10' },
    { width: 'expression(1)' },
    { fontFamily: 'x; color: red' },
    { fontFamily: '"Inter"' },
    { fontFamily: '</style>' },
    { lineHeight: '1px 2px' },
    { boxShadow: 'url(x)' },
  ])('refuse the value %j', (styles) => {
    expect(() => readStyles(styles)).toThrow('unsupported value')
  })

  test.each([null, undefined, 'x', [], 1])('refuse %j', (styles) => {
    expect(() => readStyles(styles)).toThrow('must be an object')
  })
})
