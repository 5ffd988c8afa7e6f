import { expect, test } from 'vitest'
import { createTurns } from './createTurns.ts'

const waiting = { total: 100, perKey: 80, perIp: 60 }
const options: createTurns.Options = { total: 8, perKey: 6, perIp: 4, waiting, waitMs: 60_000 }

/** Work that ends on demand, and who does it now. */
function startWorld(changes: Partial<createTurns.Options> = {}) {
  const takeTurn = createTurns({ ...options, ...changes })
  const started: string[] = []
  const ends: (() => void)[] = []
  const refused: string[] = []
  const run = (name: string, weight = 1, signal?: AbortSignal) => {
    const [keyId = '', ip] = name.split('/')
    const work = () => {
      started.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    }
    return takeTurn({ projectId: 'p', keyId, ip, signal }, weight, work).catch((error: { code: string }) => {
      refused.push(name)
      return error.code
    })
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    run,
    started,
    refused,
    settle,
    async end(count: number) {
      for (const end of ends.splice(0, count)) end()
      await settle()
    },
  }
}

test('default', async () => {
  const takeTurn = createTurns(options)
  const guest = { projectId: 'p', keyId: 'k', ip: undefined }
  expect(await takeTurn(guest, 1, async () => 1)).toBe(1)
  await expect(takeTurn(guest, 1, () => Promise.reject(new TypeError('no')))).rejects.toThrow('no')
  // What failed has left its place.
  for (let count = 0; count < 20; count++) await takeTurn(guest, 4, async () => 1)
})

test('behavior: an address and a key have their shares, and another key starts at once', async () => {
  const { run, started, settle } = startWorld()
  for (let count = 0; count < 50; count++) void run('hostile/1')
  for (let count = 0; count < 50; count++) void run('hostile/2')
  void run('own/3')
  void run('own/3')
  await settle()
  expect(started.filter((name) => name === 'hostile/1')).toHaveLength(4)
  expect(started.filter((name) => name === 'hostile/2')).toHaveLength(2)
  expect(started.slice(-2)).toEqual(['own/3', 'own/3'])
})

test('behavior: a heavy call counts by its weight, and is not put off by light ones', async () => {
  const { run, started, settle, end } = startWorld({ perKey: 8, perIp: 8 })
  void run('a/1', 6)
  void run('b/1', 5)
  for (let count = 0; count < 10; count++) void run('c/1')
  await settle()
  // It is the turn of the second; the light ones come after it.
  expect(started).toEqual(['a/1'])
  await end(1)
  expect(started).toEqual(['a/1', 'b/1', 'c/1', 'c/1', 'c/1'])
})

test('behavior: one that is heavier than a share runs alone', async () => {
  const { run, started, settle } = startWorld()
  void run('a/1', 1_000)
  void run('a/1', 1)
  void run('b/1', 4)
  await settle()
  expect(started).toEqual(['a/1', 'b/1'])
})

test('error: more than may wait of one address', async () => {
  const { run, refused, settle } = startWorld({ waiting: { total: 100, perKey: 80, perIp: 3 } })
  for (let count = 0; count < 10; count++) void run('a/1')
  await settle()
  // Four run, three wait.
  expect(refused).toHaveLength(3)
  expect(await run('a/1')).toBe('RATE_LIMIT_EXCEEDED')
})

test('behavior: where a key is full, the last of its longest line gives way to another address', async () => {
  const { run, started, refused, settle, end } = startWorld({ waiting: { total: 100, perKey: 10, perIp: 8 } })
  for (let count = 0; count < 12; count++) void run('a/1')
  for (let count = 0; count < 4; count++) void run('a/2')
  await settle()
  expect([started.length, refused]).toEqual([6, []])
  void run('a/3')
  await settle()
  expect(refused).toEqual(['a/1'])
  await end(1)
  expect(started.at(-1)).toBe('a/3')
})

test('error: a wait that is too long; what waited no longer is not done later', async () => {
  const { run, started, refused, settle, end } = startWorld({ total: 1, waitMs: 20 })
  void run('a/1')
  expect(await run('b/1')).toBe('RATE_LIMIT_EXCEEDED')
  await end(1)
  await settle()
  expect([started, refused]).toEqual([['a/1'], ['b/1']])
})

test('behavior: a client that is not there any more leaves its place', async () => {
  const { run, started, settle, end } = startWorld({ total: 1 })
  void run('a/1')
  const client = new AbortController()
  void run('b/1', 1, client.signal)
  void run('c/1')
  void run('d/1', 1, AbortSignal.abort())
  await settle()
  client.abort()
  await end(1)
  await end(1)
  expect(started).toEqual(['a/1', 'c/1'])
})
