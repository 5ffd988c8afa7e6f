import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

test('behavior: the app in the README is the file that is compiled', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const block = /```tsx\n([\s\S]*?)```/.exec(readme)?.[1]
  expect(block).toBe(readFileSync(join(root, 'examples/readme/App.tsx'), 'utf8'))
})
