import { expect, test } from 'vitest'
import { createTotp } from './createTotp.ts'

test('shows the codes of RFC 6238, appendix B', () => {
  const { code } = createTotp('otpauth://totp/App:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=App')
  expect(code({ atMs: 59_000 })).toBe('287082')
  expect(code({ atMs: 1_111_111_109_000 })).toBe('081804')
  expect(code({ atMs: 29_000, ahead: 1 })).toBe('287082')
})
