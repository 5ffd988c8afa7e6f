import { expect, test } from 'vitest'
import * as api from './index.ts'

test('default', () => {
  expect(Object.keys(api).sort()).toEqual([
    'ServerError',
    'advanceClock',
    'applyGrants',
    'bundleSigningPublicKey',
    'consoleApp',
    'createServer',
    'listen',
    'migrate',
  ])
})
