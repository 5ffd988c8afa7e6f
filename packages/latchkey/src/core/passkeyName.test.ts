import { expect, test } from 'vitest'
import { passkeyName } from './passkeyName.ts'

test('names a passkey after its host and the time it was made', () => {
  expect(passkeyName('app.example', new Date(2026, 0, 2, 13, 4))).toMatch(/^app\.example, .*2026.*:04/)
})
