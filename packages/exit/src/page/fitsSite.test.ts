import { expect, test } from 'vitest'
import { fitsSite } from './fitsSite.ts'

test.each([
  ['https://wallet.example/exit.html', 'wallet.example', 'same'],
  ['https://exit.wallet.example/', 'wallet.example', 'same'],
  ['https://wallet.example:8443/', 'wallet.example', 'same'],
  ['http://localhost:4100/exit.html', 'localhost', 'same'],
  ['http://app.localhost/', 'localhost', 'same'],
  ['https://example/', 'wallet.example', 'related'],
  ['https://notwallet.example/', 'wallet.example', 'related'],
  ['https://exit.example/', 'wallet.example', 'related'],
  ['http://wallet.example/', 'wallet.example', 'none'],
  ['http://127.0.0.1:4100/', 'localhost', 'none'],
  ['http://localhost/', 'wallet.example', 'none'],
  ['file:///home/ann/exit.html', 'wallet.example', 'none'],
] as const)('at %s a passkey of %s: %s', (url, rpId, fit) => {
  expect(fitsSite({ rpId, place: new URL(url) })).toBe(fit)
})

test('does not rely on related origins in a browser without them', () => {
  const place = new URL('https://exit.example/')
  expect(fitsSite({ rpId: 'wallet.example', place, hasRelatedOrigins: false })).toBe('none')
})
