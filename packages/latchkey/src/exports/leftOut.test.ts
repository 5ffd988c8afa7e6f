import { readFileSync } from 'node:fs'
import { leftOutErrors } from '@latchkey/testkit/publishedErrors'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../../../docs/decisions/0709-errors-left-out.md', import.meta.url), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| `'))

/** A row's text, with `…` where it leaves something out. */
function isRow(row: string, published: string): boolean {
  const [, text = ''] = /^\| `([^`]+)` \|/.exec(row) ?? []
  const parts = text.split('…').map((part) => part.trim())
  return parts.every((part) => published.includes(part))
}

test('behavior: of the published texts, those that no call of ours ends with are listed with their reason', () => {
  expect(rows).toHaveLength(leftOutErrors.length)
  for (const [published] of leftOutErrors)
    expect(
      rows.filter((row) => isRow(row, published)),
      published,
    ).toEqual([expect.stringMatching(/\| [^|]{10,} \|$/)])
})
