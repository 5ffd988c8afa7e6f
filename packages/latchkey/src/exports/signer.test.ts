import { expect, test } from 'vitest'
import * as signer from './signer.ts'

test('default: what `latchkey/signer` offers', () => {
  expect(Object.keys(signer).sort()).toEqual([
    'BaseError',
    'HttpError',
    'alchemyEndpoints',
    'createSigner',
    'latchkeyEndpoints',
    'memoryStorage',
    'webPlatform',
  ])
})
