import { createServer } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { freePorts, isPortFree } from './freePorts.ts'

afterEach(() => vi.restoreAllMocks())

test('returns free neighboring ports', async () => {
  const base = await freePorts(3)
  expect(base).toBeGreaterThanOrEqual(10_000)
  expect(base + 3).toBeLessThanOrEqual(32_000)
  for (const port of [base, base + 1, base + 2]) expect(await isPortFree(port)).toBe(true)
})

test('gives no port twice even before anything listens on it', async () => {
  const given = await freePorts(2)
  const wishes = [given, given + 1, given - 1]
  const share = (port: number) => (port - 10_000 + 0.5) / (22_000 - 2)
  const random = vi.spyOn(Math, 'random')
  for (const port of wishes) random.mockReturnValueOnce(share(port))
  const other = await freePorts(2)
  expect(random.mock.results.slice(0, 3).map(({ value }) => value)).toEqual(wishes.map(share))
  expect(wishes).not.toContain(other)
})

test('recognizes a port in use', async () => {
  const server = createServer()
  const port = await freePorts(1)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  try {
    expect(await isPortFree(port)).toBe(false)
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
})
