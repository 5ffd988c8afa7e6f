import { expect, test } from 'vitest'
import { joinSignature } from './joinSignature.ts'

test('default', () => {
  const r = '0a'.repeat(32)
  const s = '0b'.repeat(32)
  expect(joinSignature({ r, s, v: '00' })).toBe(`0x${r}${s}1b`)
  expect(joinSignature({ r, s, v: '01' })).toBe(`0x${r}${s}1c`)
})
