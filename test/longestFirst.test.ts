import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { long } from './longestFirst.ts'

const root = join(import.meta.dirname, '..')

/** Files of tests in a folder of the repository, those of installed packages aside. */
function testsIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testsIn(path)
    return /\.test\.tsx?$/.test(path) ? [path] : []
  })
}

test('behavior: whatever is named there is', () => {
  const files = ['packages', 'test'].flatMap(testsIn)
  expect(long.filter((part) => !files.some((file) => file.includes(part)))).toEqual([])
})
