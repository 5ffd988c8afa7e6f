import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { movedNames } from './names.ts'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

const files = {
  latchkey: 'index',
  'latchkey/chains': 'chains',
  'latchkey/compat': 'compat',
  'latchkey/react': 'react',
}

function listExports(file: string): Set<string> {
  const text = read(`packages/latchkey/src/exports/${file}.ts`).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].map(([, list = '']) => list)
  return new Set(lists.flatMap((list) => list.split(',').map((part) => part.trim().replace(/^.* /s, ''))))
}

const rows = [...movedNames].flatMap(([from, names]) => [...names].map(([name, entry]) => ({ from, name, entry })))

test.each(Object.entries(files))('exports each name that moves to %s', (entry, file) => {
  const exported = listExports(file)
  const moved = rows.filter((row) => row.entry === entry)
  expect(moved.length).toBeGreaterThan(10)
  expect(moved.filter((row) => !exported.has(row.name))).toEqual([])
})
