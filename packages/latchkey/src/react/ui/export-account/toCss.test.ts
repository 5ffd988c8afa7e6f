import { expect, test } from 'vitest'
import { toCss } from './toCss.ts'

test('default: names become kebab-case', () => {
  expect(toCss({ minHeight: '120px', border: 'none', zIndex: 2 })).toBe('min-height:120px;border:none;z-index:2;')
})

test('behavior: vendor prefixes, custom properties, values that are not there', () => {
  const style = { WebkitTextStroke: '1px', '--theirOwn': 'red', color: undefined }
  expect(toCss(style)).toBe('-webkit-text-stroke:1px;--theirOwn:red;')
})
