import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDatabase } from '../../../../test/database.ts'
import { openStore, type Store } from './openStore.ts'
import { subscribe } from './subscribe.ts'

let store: Store
let database: Awaited<ReturnType<typeof startTestDatabase>>
beforeAll(async () => {
  database = await startTestDatabase()
  store = await openStore({ databaseUrl: database.url })
})
afterAll(async () => {
  await store.close()
  await database.close()
})

const notify = (text: string) => store.pool.query('select pg_notify($1, $2)', ['test_channel', text])

test('default', async () => {
  const events = new EventEmitter()
  const seen: string[] = []
  const subscription = await subscribe({
    databaseUrl: database.url,
    channel: 'test_channel',
    onNotify: (payload) => {
      seen.push(payload)
      events.emit('seen')
    },
  })
  expect(seen).toEqual([''])
  const next = once(events, 'seen')
  await notify('one')
  await next
  expect(seen).toEqual(['', 'one'])
  await subscription.close()
  await notify('two')
  await store.pool.query('select 1')
  expect(seen).toEqual(['', 'one'])
})

test('behavior: a lost connection is made again, and what was missed is made up for', async () => {
  const events = new EventEmitter()
  const subscription = await subscribe({
    databaseUrl: database.url,
    channel: 'test_channel',
    onNotify: (payload) => events.emit('seen', payload),
  })
  const again = once(events, 'seen')
  await store.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and pid <> pg_backend_pid()`,
  )
  expect(await again).toEqual([''])
  const next = once(events, 'seen')
  await notify('three')
  expect(await next).toEqual(['three'])
  await subscription.close()
})
