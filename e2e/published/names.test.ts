import { readFileSync } from 'node:fs'
import * as compat from 'latchkey/compat'
import * as react from 'latchkey/react'
import { expect, test } from 'vitest'

// Names only: what an app that moves imports is in `latchkey/compat` or `latchkey/react`, or its README says where it is.

const declarations = {
  'aa-core': ['index.d.ts'],
  'aa-accounts': ['src/index.d.ts'],
  'aa-alchemy': ['index.d.ts', 'config/index.d.ts', 'react/index.d.ts'],
} as const

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Values that a file of declarations exports. */
function listNames(path: string): string[] {
  const names: string[] = []
  for (const [, list = ''] of read(path).matchAll(/^export \{([^}]*)\}/gm))
    for (const part of list.split(',').map((text) => text.trim()))
      if (part !== '' && !part.startsWith('type ')) names.push(part.replace(/^.* as /, ''))
  for (const [, name = ''] of read(path).matchAll(/^export \* as (\w+)/gm)) names.push(name)
  return names
}

const offered = new Set([...Object.keys(compat), ...Object.keys(react)])
const page = read('../../packages/latchkey/src/wallet/compat/README.md')
const listed = new Set([...page.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []))

test.each(Object.entries(declarations))('default: every name of %s', (name, files) => {
  const names = files.flatMap((file) => listNames(`node_modules/@alchemy/${name}/dist/types/${file}`))
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((one) => !offered.has(one) && !listed.has(one))).toEqual([])
})

test('behavior: the page lists nothing that is offered by now', () => {
  const isBoth = [...listed].filter((one) => Object.hasOwn(compat, one))
  expect(isBoth).toEqual([])
})
