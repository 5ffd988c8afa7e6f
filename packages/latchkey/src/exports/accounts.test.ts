import { expect, test } from 'vitest'
import * as entry from './accounts.ts'

test('default: what the entry offers', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "BaseError",
      "getSenderAddress",
      "predictLightAccountAddress",
      "toLightAccount",
    ]
  `)
})
