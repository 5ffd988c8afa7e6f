import { expect, test } from 'vitest'
import { createScheduler } from './createScheduler.ts'

const refuse = () => new Error('refused')
const options: createScheduler.Options = {
  total: 8,
  perGroup: 6,
  perMember: 4,
  waiting: { total: 100, perGroup: 80, perMember: 60 },
  waitMs: 60_000,
  refuse,
}

function startWork(changes: Partial<createScheduler.Options> = {}) {
  const schedule = createScheduler({ ...options, ...changes })
  const started: string[] = []
  const ends: (() => void)[] = []
  const refused: string[] = []
  const run = (name: string, weight?: number, signal?: AbortSignal) => {
    const [group = '', member = ''] = name.split('/')
    const work = () => {
      started.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    }
    return schedule({ group, member, weight, signal }, work).catch((error: Error) => {
      refused.push(name)
      return error.message
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

test('returns the result of the work, and frees the share of work that fails', async () => {
  const schedule = createScheduler(options)
  const request = { group: 'g', member: 'm' }
  expect(await schedule(request, async () => 1)).toBe(1)
  await expect(schedule(request, () => Promise.reject(new TypeError('no')))).rejects.toThrow('no')
  for (let count = 0; count < 20; count++) await schedule({ ...request, weight: 4 }, async () => 1)
})

test('limits a member and a group to their shares, and starts another group at once', async () => {
  const { run, started, settle } = startWork()
  for (let count = 0; count < 50; count++) void run('hostile/1')
  for (let count = 0; count < 50; count++) void run('hostile/2')
  void run('own/3')
  void run('own/3')
  await settle()
  expect(started.filter((name) => name === 'hostile/1')).toHaveLength(4)
  expect(started.filter((name) => name === 'hostile/2')).toHaveLength(2)
  expect(started.slice(-2)).toEqual(['own/3', 'own/3'])
})

test('starts the member that runs the least first, then the one served longest ago', async () => {
  const { run, started, settle, end } = startWork({ total: 2, perGroup: 2, perMember: 2 })
  for (let count = 0; count < 10; count++) void run('p/hostile')
  void run('p/one')
  void run('p/two')
  await settle()
  expect(started).toEqual(['p/hostile', 'p/hostile'])
  await end(1)
  await end(1)
  await end(1)
  expect(started.slice(2)).toEqual(['p/one', 'p/two', 'p/hostile'])
})

test('gives a member with the name of its group the share of the group', async () => {
  const { run, started, settle } = startWork()
  for (let count = 0; count < 8; count++) void run('parent/parent')
  await settle()
  expect(started).toHaveLength(6)
})

test('counts a heavy request by its weight, and lets no light one overtake it', async () => {
  const { run, started, settle, end } = startWork({ perGroup: 8, perMember: 8 })
  void run('a/1', 6)
  void run('b/1', 5)
  for (let count = 0; count < 10; count++) void run('c/1')
  await settle()
  expect(started).toEqual(['a/1'])
  await end(1)
  expect(started).toEqual(['a/1', 'b/1', 'c/1', 'c/1', 'c/1'])
})

test('runs a request that is heavier than its share alone', async () => {
  const { run, started, settle } = startWork()
  void run('a/1', 1_000)
  void run('a/1', 1)
  void run('b/1', 4)
  await settle()
  expect(started).toEqual(['a/1', 'b/1'])
})

test('refuses a request when its member has too many waiting', async () => {
  const { run, refused, settle } = startWork({ waiting: { perMember: 3 } })
  for (let count = 0; count < 10; count++) void run('a/1')
  await settle()
  expect(refused).toHaveLength(3)
  expect(await run('a/1')).toBe('refused')
})

test('refuses the newest request of the longest queue when the group is full', async () => {
  const { run, started, refused, settle, end } = startWork({ waiting: { perGroup: 10, perMember: 8 } })
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

test('refuses a request that waited too long, and never runs it later', async () => {
  const { run, started, refused, settle, end } = startWork({ total: 1, waitMs: 20 })
  void run('a/1')
  expect(await run('b/1')).toBe('refused')
  await end(1)
  await settle()
  expect([started, refused]).toEqual([['a/1'], ['b/1']])
})

test('frees the place of a request whose client left', async () => {
  const { run, started, settle, end } = startWork({ total: 1 })
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
