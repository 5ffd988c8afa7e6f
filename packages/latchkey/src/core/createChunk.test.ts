import { expect, test } from 'vitest'
import { createChunk } from './createChunk.ts'
import { ChunkFailedError } from './errors/ChunkFailedError.ts'

test('loads once, on the first call', async () => {
  let loads = 0
  const chunk = createChunk({ name: 'part', import: async () => ({ loads: ++loads }) })
  expect(chunk.loaded()).toBeUndefined()
  const [first, second] = await Promise.all([chunk.load(), chunk.load()])
  expect(first).toBe(second)
  expect(chunk.loaded()).toBe(first)
  expect(loads).toBe(1)
})

test('names the chunk that failed to load, and loads again on the next call', async () => {
  const outcomes = [() => Promise.reject(new TypeError('Failed to fetch')), async () => 'here']
  const chunk = createChunk<string>({ name: 'part', import: () => outcomes.shift()?.() ?? Promise.reject() })
  const error = await chunk.load().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ChunkFailedError)
  expect(error).toMatchObject({ code: 'CHUNK_FAILED', chunk: 'part', details: 'Failed to fetch' })
  expect(chunk.loaded()).toBeUndefined()
  expect(await chunk.load()).toBe('here')
})

test('times out when a file never arrives', async () => {
  const chunk = createChunk({ name: 'part', import: () => new Promise(() => {}), timeoutMs: 5 })
  await expect(chunk.load()).rejects.toMatchObject({ code: 'CHUNK_FAILED', cause: { code: 'TIMEOUT' } })
})

test('ignores a failed prefetch', async () => {
  let loads = 0
  const chunk = createChunk({
    name: 'part',
    import: async () => {
      if (loads++ === 0) throw new TypeError('offline')
      return loads
    },
  })
  chunk.prefetch()
  await expect.poll(() => loads).toBe(1)
  expect(await chunk.load()).toBe(2)
})
