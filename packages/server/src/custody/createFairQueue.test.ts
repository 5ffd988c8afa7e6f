import { expect, test } from 'vitest'
import { createFairQueue, type Share } from './createFairQueue.ts'

const options = { total: 4, perProject: 3, perOrganization: 2, maxWaiting: 100, waitMs: 60_000 }

/** Work that ends on demand, and who does it now. */
function startWorld(changes: Partial<createFairQueue.Options> = {}) {
  const takeTurn = createFairQueue({ ...options, ...changes })
  const started: string[] = []
  const ends: (() => void)[] = []
  const run = (project: string, organization: string) => {
    const share: Share = { project, organization }
    const turn = takeTurn(share, () => {
      started.push(organization)
      return new Promise<string>((resolve) => ends.push(() => resolve(organization)))
    })
    // What waits when its test ends is refused a minute later, in the middle of another file.
    turn.catch(() => undefined)
    return turn
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    run,
    started,
    settle,
    async endOne() {
      ends.shift()?.()
      await settle()
    },
  }
}

test('default', async () => {
  const takeTurn = createFairQueue(options)
  expect(await takeTurn({ project: 'p', organization: 'o' }, async () => 1)).toBe(1)
  await expect(
    takeTurn({ project: 'p', organization: 'o' }, () => Promise.reject(new TypeError('no'))),
  ).rejects.toThrow('no')
})

test('behavior: an organization has its share, a project its own, and others start at once', async () => {
  const { run, started, settle } = startWorld()
  for (let count = 0; count < 80; count++) void run('p', 'hostile')
  void run('p', 'neighbour')
  void run('p', 'neighbour')
  void run('q', 'stranger')
  await settle()
  expect(started).toEqual(['hostile', 'hostile', 'neighbour', 'stranger'])
})

test('behavior: who has least at work goes first, then who waited longest', async () => {
  const { run, started, settle, endOne } = startWorld({ total: 2, perProject: 2 })
  for (let count = 0; count < 10; count++) void run('p', 'hostile')
  void run('p', 'one')
  void run('p', 'two')
  await settle()
  expect(started).toEqual(['hostile', 'hostile'])
  await endOne()
  await endOne()
  await endOne()
  expect(started.slice(2)).toEqual(['one', 'two', 'hostile'])
})

test('behavior: a parent acts for all its users, so it has the share of the project', async () => {
  const { run, started, settle } = startWorld()
  for (let count = 0; count < 5; count++) void run('parent', 'parent')
  await settle()
  expect(started).toHaveLength(3)
})

test('error: more than may wait', async () => {
  const { run } = startWorld({ maxWaiting: 3 })
  for (let count = 0; count < 5; count++) void run('p', 'hostile')
  await expect(run('p', 'hostile')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 1_000 })
})

test('error: a wait that is too long; what waited no longer is not done later', async () => {
  const { run, started, settle, endOne } = startWorld({ waitMs: 20 })
  void run('p', 'o')
  void run('p', 'o')
  await expect(run('p', 'o')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  await endOne()
  await endOne()
  await settle()
  expect(started).toHaveLength(2)
  void run('p', 'o')
  await settle()
  expect(started).toHaveLength(3)
})
