import { expect, test } from 'vitest'
import { listExports, listedNames } from '../published/guideTables.ts'

// The guide's tables against what the packages of 4.88.5 declare. Those with React: `e2e/accountKitReact/guide.test.ts`.

test.each([
  '@aa-sdk/core/dist/types/index.d.ts',
  '@account-kit/infra/dist/types/exports/index.d.ts',
  '@account-kit/signer/dist/types/index.d.ts',
  '@account-kit/smart-contracts/dist/types/src/index.d.ts',
  '@account-kit/wallet-client/dist/types/exports/index.d.ts',
])('behavior: every value of %s is in a table or left out by name', (path) => {
  const names = listExports(new URL(`node_modules/${path}`, import.meta.url))
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !listedNames.has(name))).toEqual([])
})
