import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Rules of what is published, by its text. */

const root = join(import.meta.dirname, '../..')
const files = ['latchkey', 'frames', 'server', 'console'].flatMap((name) =>
  readdirSync(join(root, `packages/${name}/src`), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test(?:-d)?\.tsx?$/.test(path))
    .map((path) => `packages/${name}/src/${path}`),
)

/** Files that hold a text, and how often. */
function find(pattern: RegExp): Record<string, number> {
  const found = files.map(
    (path) => [path, [...readFileSync(join(root, path), 'utf8').matchAll(pattern)].length] as const,
  )
  return Object.fromEntries(found.filter(([, count]) => count > 0))
}

test('default: what is not to be guessed is no work of Math.random', () => {
  expect(files.length).toBeGreaterThan(500)
  // Lengths of pauses, so that many do not come back at once.
  expect(find(/\bMath\.random\b/g)).toEqual({
    'packages/latchkey/src/wallet/client/actions/inclusion.ts': 1,
    'packages/server/src/store/inTransaction.ts': 1,
    'packages/server/src/webhooks/deliverWebhook.ts': 1,
    'packages/server/src/keys/awsKmsKeyEncryption.ts': 1,
  })
})

test('behavior: patterns are made of constants, of no text that comes from elsewhere', () => {
  expect(find(/\bRegExp\(/g)).toEqual({
    'packages/frames/src/view/settings.ts': 1,
    'packages/latchkey/src/react/ui/steps/EmailForm.tsx': 1,
    'packages/server/src/custody/schemas.ts': 1,
  })
})

test('behavior: no text becomes code', () => {
  expect(find(/\beval\(|\bnew Function\(|\bnode:vm\b/g)).toEqual({})
})
