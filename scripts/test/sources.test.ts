import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Our linters do not check these rules about published source. */

const root = join(import.meta.dirname, '../..')
const files = ['latchkey', 'frames', 'server', 'console'].flatMap((name) =>
  readdirSync(join(root, `packages/${name}/src`), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test(?:-d)?\.tsx?$/.test(path))
    .map((path) => `packages/${name}/src/${path}`),
)

function find(pattern: RegExp): Record<string, number> {
  const found = files.map(
    (path) => [path, [...readFileSync(join(root, path), 'utf8').matchAll(pattern)].length] as const,
  )
  return Object.fromEntries(found.filter(([, count]) => count > 0))
}

test('uses Math.random only for the length of pauses', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(find(/\bMath\.random\b/g)).toEqual({
    'packages/latchkey/src/wallet/client/actions/inclusion.ts': 1,
    'packages/server/src/platform/database/inTransaction.ts': 1,
    'packages/server/src/webhooks/deliverWebhook.ts': 1,
    'packages/server/src/keys/repeatBrief.ts': 1,
  })
})

test('builds regular expressions only from constants', () => {
  expect(find(/\bRegExp\(/g)).toEqual({
    'packages/frames/src/view/settings.ts': 1,
    'packages/server/src/custody/custodySchemas.ts': 1,
  })
})

test('evaluates no text as code', () => {
  expect(find(/\beval\(|\bnew Function\(|\bnode:vm\b/g)).toEqual({})
})

/**
 * Files that may read the machine's clock: the queue and identity providers use it, and the devnet's clock is derived
 * from it.
 */
const ownTime = [
  'packages/server/src/custody/oidc/verifyIdToken.ts',
  'packages/server/src/platform/database/jobs.ts',
  'packages/server/src/platform/database/devnetClock.ts',
]
const roles = files.filter(
  (path) => path.startsWith('packages/server/src/') && !/\/(migrations|cli)\//.test(path) && !ownTime.includes(path),
)

test.each([
  // Two uses are allowed: a reference to the function as a parameter's default, and the comparison of an HTTP date with
  // the machine's clock.
  [/(?<!Date\.parse\(text\) - )\bDate\.now\(\)|\bnew Date\(\)/, "the role's clock, or performance.now() for durations"],
  [/\bURL\.canParse\b/, 'parseUrl, because Node 20 fails on Latin-1 letters'],
  [/`[^`]*(?<![\w.])(?:now|clock_timestamp|statement_timestamp)\(\)[^`]*`/, 'latchkey_now() in SQL'],
])('server roles do not use %s but %s', (pattern) => {
  const lines = roles.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\*|\/\/|\/\*\*)/.test(line) && pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(lines).toEqual([])
})
