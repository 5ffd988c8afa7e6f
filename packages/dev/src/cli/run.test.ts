import { afterEach, expect, test, vi } from 'vitest'
import { run } from './run.ts'

afterEach(() => vi.restoreAllMocks())

test.each(['exit', 'parity', 'codemod'])('runs %s of its own package under the typed name', async (name) => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  expect(await run([name, '--help'])).toBe(0)
  expect(print.mock.calls[0]?.[0]).toMatch(new RegExp(`^Usage: latchkey-dev ${name} `))
})
