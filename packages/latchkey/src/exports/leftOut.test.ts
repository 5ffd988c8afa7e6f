import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Of the published clients' texts, those that no call of ours ends with. */
const leftOut = [
  'Batch execution is not supported by',
  'requires an owner to execute',
  'UpgradeToAndCall is not supported by',
  'Expected account type',
  'Smart account requires a signer',
  'feeData is missing maxFeePerGas or maxPriorityFeePerGas',
  'bigIntMax requires at least one argument',
  'bigIntMin requires at least one argument',
  'Max precision is 4 decimal places',
  'no values passed in',
  'not found in connections config object',
  'clearing cookies is not supported',
  'Function not implemented.',
  'RPC Url not provided',
  'Uknown event type',
  'Unknown session type',
  'must be used within a AlchemyAccountProvider',
  'uiConfig must be supplied to AlchemyAccountProvider',
  'useAuthModalContext must be used within a AuthModalProvider',
  'no client',
  'Not implemented',
  'Cannot initialize iframe in non-browser environment',
  'Iframe container cannot be found',
  'already exists',
]

test('behavior: what is left out is listed with its reason', () => {
  const page = readFileSync(new URL('../../../../docs/decisions/0709-errors-left-out.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows).toHaveLength(leftOut.length)
  for (const text of leftOut) expect(rows.find((row) => row.includes(text))).toMatch(/\| [^|]{10,} \|$/)
})
