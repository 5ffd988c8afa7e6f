import { expect, test } from 'vitest'
import { listExports, listedNames } from '../published/guideTables.ts'

// The guide's tables against what the packages of 4.88.5 with React declare. The others: `e2e/accountKit/guide.test.ts`.

test.each([
  '@account-kit/core/dist/types/index.d.ts',
  '@account-kit/react/dist/types/index.d.ts',
  '@account-kit/react/dist/types/tailwind/index.d.ts',
])('behavior: every value of %s is in a table or left out by name', (path) => {
  const names = listExports(new URL(`node_modules/${path}`, import.meta.url))
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !listedNames.has(name))).toEqual([])
})
