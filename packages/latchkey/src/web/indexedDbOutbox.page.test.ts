import { startOutboxPage } from '@latchkey/testkit/wallet/startOutboxPage'
import { test } from '@latchkey/testkit/worker'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'

let browser: Browser
let pages: Awaited<ReturnType<typeof startOutboxPage>>
let context: BrowserContext
let tab: Page
test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  pages = await startOutboxPage({ chainId: 1, nodeUrl: '', bundlerUrl: '' }, browser)
})
afterAll(() => pages?.close())
beforeEach(async () => {
  context = await browser.newContext()
  tab = await openTab()
})
afterEach(() => context.close())

async function openTab(): Promise<Page> {
  const page = await context.newPage()
  await page.goto(pages.url)
  await page.waitForFunction(() => window.outbox !== undefined)
  return page
}

const record = (owner: string, id: string, changedAtMs = Date.now()) => ({ owner, id, changedAtMs, wei: 5n })

test('lists an owner’s records after a reload, changes and removes them', async () => {
  const mine = record('1:0xaa', 'x')
  await tab.evaluate((given) => window.outbox.indexedDbOutbox().add(given), mine)
  await tab.reload()
  await tab.waitForFunction(() => window.outbox !== undefined)
  const found = await tab.evaluate(async () => {
    const store = window.outbox.indexedDbOutbox()
    // These owners share a prefix.
    const others = [await store.list('1:0xa'), await store.list('1:0xaaa'), await store.list('')]
    const kept = await store.list('1:0xaa')
    const left = await store.update('1:0xaa', 'x', () => undefined)
    const changed = await store.update('1:0xaa', 'x', (known) => ({ ...known, changedAtMs: Date.now() + 1 }))
    const missing = await store.update('1:0xaa', 'y', (known) => known)
    const removed = await store.update('1:0xaa', 'x', () => null)
    return { others, kept, left, changed: changed?.id, missing, removed, end: await store.list('1:0xaa') }
  })
  const empty = { missing: undefined, removed: undefined, end: [] }
  expect(found).toEqual({ others: [[], [], []], kept: [mine], left: mine, changed: 'x', ...empty })
})

test('removes records that are a month old on opening', async () => {
  const old = record('a', 'old', Date.now() - 31 * 24 * 3_600_000)
  await tab.evaluate(
    async ([first, second]) => {
      const store = window.outbox.indexedDbOutbox()
      for (const each of [first, second]) if (each) await store.add(each)
    },
    [old, record('a', 'new')],
  )
  const ids = await tab.evaluate(async () => {
    const store = window.outbox.indexedDbOutbox()
    await store.open()
    return (await store.list('a')).map(({ id }) => id)
  })
  expect(ids).toEqual(['new'])
})

test('notifies another tab, which gets the lock when the first tab is closed', async () => {
  const other = await openTab()
  await other.evaluate(() => {
    const heard: string[] = []
    Object.assign(window, { heard, store: window.outbox.indexedDbOutbox() })
    Reflect.get(window, 'store').onChange((owner: string) => heard.push(owner))
  })
  await tab.evaluate(
    (given) => {
      const store = window.outbox.indexedDbOutbox()
      store.hold('lane', 60_000, () => new Promise(() => {}))
      return store.add(given)
    },
    record('mine', 'x'),
  )
  await expect.poll(() => other.evaluate(() => Reflect.get(window, 'heard'))).toEqual(['mine'])
  const isFree = await other.evaluate(() => window.outbox.indexedDbOutbox().holdIfFree('lane', async () => 'free'))
  expect(isFree).toBeUndefined()
  const turn = other.evaluate(() => window.outbox.indexedDbOutbox().hold('lane', 60_000, async () => 'mine'))
  await tab.close()
  expect(await turn).toBe('mine')
})

test('passes the lock on after the maximum wait, and tells the previous holder', async () => {
  const seen = await tab.evaluate(async () => {
    const store = window.outbox.indexedDbOutbox()
    let release = () => {}
    const held: boolean[] = []
    let hasBegun = () => {}
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve
    })
    const first = store.hold('lane', 60_000, async (turn) => {
      held.push(turn.isHeld())
      await new Promise<void>((resolve) => {
        release = resolve
        hasBegun()
      })
      held.push(turn.isHeld())
      return 'first'
    })
    // A busy browser may be slow to grant even a free lock.
    await begun
    const second = await store.hold('lane', 20, async (turn) => turn.isHeld())
    release()
    return { held, second, first: await first }
  })
  expect(seen).toEqual({ held: [true, false], second: true, first: 'first' })
})

test.each([
  ['full storage', 'QuotaExceededError', 'STORAGE_FULL'],
  ['a failing disk', 'UnknownError', 'STORAGE_FAILED'],
])('stores nothing and suggests a fix on %s', async (_, name, code) => {
  const found = await tab.evaluate(async (cause) => {
    const store = window.outbox.indexedDbOutbox()
    await store.open()
    const real = IDBObjectStore.prototype.put
    IDBObjectStore.prototype.put = function (...parameters) {
      const request = real.apply(this, parameters)
      const { transaction } = this
      Object.defineProperty(transaction, 'error', { value: new DOMException('no', cause) })
      transaction.abort()
      return request
    }
    const failure = await store.add({ owner: 'a', id: 'x', changedAtMs: Date.now() }).catch((error) => error)
    IDBObjectStore.prototype.put = real
    return { code: failure.code, kept: await store.list('a') }
  }, name)
  expect(found).toEqual({ code, kept: [] })
})

test('keeps a record that the browser has begun to write when its time is up', async () => {
  const uncaught: string[] = []
  tab.on('pageerror', ({ message }) => uncaught.push(message))
  const kept = await tab.evaluate(async () => {
    const store = window.outbox.indexedDbOutbox()
    await store.open()
    const timer = window.setTimeout
    const { put } = IDBObjectStore.prototype
    let runLate: TimerHandler = () => {}
    const hold = (work: TimerHandler) => {
      runLate = work
    }
    Object.assign(window, { setTimeout: hold })
    IDBObjectStore.prototype.put = function (...parameters) {
      const request = put.apply(this, parameters)
      this.transaction.commit()
      timer(runLate)
      return request
    }
    await store.add({ owner: 'a', id: 'x', changedAtMs: Date.now() })
    IDBObjectStore.prototype.put = put
    Object.assign(window, { setTimeout: timer })
    await new Promise((resolve) => timer(resolve))
    return (await store.list('a')).map(({ id }) => id)
  })
  expect({ kept, uncaught }).toEqual({ kept: ['x'], uncaught: [] })
})

test.each([
  ['when the browser denies its database', 'indexedDB'],
  ['without locks', 'locks'],
])('is unavailable %s', async (_, missing) => {
  const code = await tab.evaluate(async (name) => {
    if (name === 'locks') Object.defineProperty(navigator, 'locks', { value: undefined })
    else
      indexedDB.open = () => {
        throw new DOMException('denied', 'SecurityError')
      }
    return window.outbox
      .indexedDbOutbox()
      .open()
      .catch((error) => error.code)
  }, missing)
  expect(code).toBe('OUTBOX_UNAVAILABLE')
})
