import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/security/asvs.md'), 'utf8')
const rows = [...page.matchAll(/^\| (V\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, id = '', level = '', what = '', shown = '']) => ({ id, level, what, shown }),
)

test('default: every requirement of levels 1 and 2 has one line', () => {
  // As many as the published text has.
  expect(rows.filter(({ level }) => level === '1')).toHaveLength(70)
  expect(rows.filter(({ level }) => level === '2')).toHaveLength(183)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
})

test('behavior: each line names a test that there is, why it is open, or why it does not apply', () => {
  const wrong = rows.filter(({ shown }) => {
    const [, path = '', name = ''] = /^`([^`]+\.test\.ts)`(?:: (.+))?$/.exec(shown) ?? []
    if (path === '') return !/^(?:does not apply|open): \S/.test(shown)
    return !existsSync(join(root, path)) || !readFileSync(join(root, path), 'utf8').includes(name)
  })
  expect(wrong).toEqual([])
})

test('behavior: the figures at its head are those of its lines', () => {
  const count = (form: RegExp) => rows.filter(({ shown }) => form.test(shown)).length
  const said = /(\d+) are shown by a test, (\d+) do not apply, (\d+) are open/.exec(page)?.slice(1).map(Number)
  expect(said).toEqual([count(/^`/), count(/^does not apply/), count(/^open: /)])
})
