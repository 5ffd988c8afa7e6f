import { passkeyTab } from '@latchkey/testkit/signer/passkeyTab'
import { expect, test } from 'vitest'

const at = passkeyTab()

test('keeps a key pair across a reload, which can sign but which no script can read', async () => {
  await at.tab.evaluate(async () => {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
    const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
    await window.page.deviceKeys.put('mine', pair, Date.now() + 60_000)
  })
  await at.tab.reload()
  await at.tab.waitForFunction(() => window.page !== undefined)
  const found = await at.tab.evaluate(async () => {
    const { deviceKeys } = window.page
    const pair = await deviceKeys.get('mine')
    if (!pair) return undefined
    const how = { name: 'ECDSA', hash: 'SHA-256' }
    const body = new Uint8Array(3)
    const signature = await crypto.subtle.sign(how, pair.privateKey, body)
    const isSigned = await crypto.subtle.verify(how, pair.publicKey, signature, body)
    const read = await crypto.subtle.exportKey('pkcs8', pair.privateKey).catch((error: Error) => error.name)
    await deviceKeys.remove('mine')
    await deviceKeys.remove('never there')
    return { isSigned, read, left: await deviceKeys.get('mine') }
  })
  expect(found).toEqual({ isSigned: true, read: 'InvalidAccessError', left: null })
})

test('removes expired pairs when another is added', async () => {
  const left = await at.tab.evaluate(async () => {
    const { deviceKeys } = window.page
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
    const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
    await deviceKeys.put('past', pair, Date.now() - 1)
    await deviceKeys.put('good', pair, Date.now() + 60_000)
    await deviceKeys.put('new', pair, Date.now() + 60_000)
    const all = await Promise.all(['past', 'good', 'new'].map((name) => deviceKeys.get(name)))
    return all.map((found) => found !== null)
  })
  expect(left).toEqual([false, true, true])
})

test('fails when the browser denies its database', async () => {
  const names = await at.tab.evaluate(async () => {
    indexedDB.open = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    const { deviceKeys } = window.page
    const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
    const calls = [deviceKeys.put('x', pair, 0), deviceKeys.get('x'), deviceKeys.remove('x')]
    return Promise.all(calls.map((call) => call.then(String, (error: Error) => error.name)))
  })
  expect(names).toEqual(['SecurityError', 'SecurityError', 'SecurityError'])
})

test('times out when the database never responds', async () => {
  const names = await at.tab.evaluate(async () => {
    indexedDB.open = () => new EventTarget() as IDBOpenDBRequest
    const wait = window.setTimeout.bind(window)
    Object.assign(window, { setTimeout: (work: () => void, ms: number) => wait(work, ms / 100) })
    const { deviceKeys } = window.page
    const calls = [deviceKeys.get('x'), deviceKeys.remove('x')]
    return Promise.all(calls.map((call) => call.then(String, (error: Error) => error.name)))
  })
  expect(names).toEqual(['TimeoutError', 'TimeoutError'])
})
