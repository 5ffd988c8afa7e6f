import { setFrame } from '@latchkey/testkit/frames/setFrame'
import { type Message, openInParent, received, send } from '@latchkey/testkit/signer/frameHarness'
import { sealBundle } from '@latchkey/testkit/signer/sealBundle'
import { verifyStamp } from '@latchkey/testkit/signer/verifyStamp'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'

const stage = setFrame()

const open = () => openInParent(stage.context, { url: stage.frame.url, parent: stage.parent.url, channel: true })
const publicKey = (message: Message | undefined) => {
  expect(message?.type).toBe('PUBLIC_KEY_READY')
  expect(message?.value).toMatch(/^04[0-9a-f]{128}$/)
  return String(message?.value)
}

test('keeps a non-extractable key for 48 hours outside the document', async () => {
  const page = await open()
  const key = publicKey((await received(page, 'port', 1))[0])
  const { bundle } = await sealBundle(key)
  const inner = page.frames().find((candidate) => candidate.url().startsWith(stage.frame.url))
  const before = await inner?.content()
  await send(page, [
    { type: 'INJECT_CREDENTIAL_BUNDLE', value: bundle, requestId: '1' },
    { type: 'STAMP_REQUEST', value: '{"secret":1}', requestId: '2' },
  ])
  await received(page, 'port', 3)
  expect(await inner?.content()).toBe(before)
  const found = await inner?.evaluate(async () => {
    const done = <value>(request: IDBRequest<value>) =>
      new Promise<value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await done(indexedDB.open('latchkey-auth-frame'))
    const store = database.transaction('keys').objectStore('keys')
    const record = await done(store.get('embedded'))
    const { extractable, type, usages } = record.keyPair.privateKey as CryptoKey
    return { extractable, type, usages, life: record.expiresAt - Date.now(), local: { ...localStorage } }
  })
  expect(found).toMatchObject({ extractable: false, type: 'private', usages: ['deriveBits'], local: {} })
  expect(found?.life).toBeGreaterThan(172_800_000 - 60_000)
  expect(found?.life).toBeLessThanOrEqual(172_800_000)
})

describe('in a browser that stores nothing', () => {
  const inject = (value: string, requestId: string): Message => ({ type: 'INJECT_CREDENTIAL_BUNDLE', value, requestId })
  const stamp: Message = { type: 'STAMP_REQUEST', value: '{"c":1}', requestId: '9' }
  const getInner = (page: Page) => {
    const inner = page.frames().find((candidate) => candidate.url().startsWith(stage.frame.url))
    if (!inner) throw new TypeError('no frame')
    return inner
  }

  test('keeps the key in memory and tells the page', async () => {
    const warnings: string[] = []
    stage.context.on('console', (message) => {
      if (message.type() === 'warning') warnings.push(message.text())
    })
    const sandbox = 'allow-scripts'
    const page = await openInParent(stage.context, {
      url: stage.frame.url,
      parent: stage.parent.url,
      channel: true,
      sandbox,
    })
    const [ready] = await received(page, 'port', 1)
    expect(ready?.storage).toBe('memory')
    const { bundle, publicKey: credential } = await sealBundle(publicKey(ready))
    await send(page, [inject(bundle, '1'), stamp, { type: 'RESET_EMBEDDED_KEY', requestId: '3' }, inject(bundle, '4')])
    const [, injected, stamped, reset, refused] = await received(page, 'port', 5)
    expect(injected).toEqual({ type: 'BUNDLE_INJECTED', value: true, requestId: '1' })
    expect(verifyStamp(String(stamped?.value), '{"c":1}')).toBe(credential)
    expect(reset?.type).toBe('EMBEDDED_KEY_RESET')
    expect(refused?.value).toMatch(/^Error: unable to decrypt bundle using embedded key/)
    await expect.poll(() => warnings.filter((text) => text.includes('keeps no data for this frame')).length).toBe(1)
  })

  test('lends a non-extractable key to its page over the channel only', async () => {
    const sandbox = 'allow-scripts'
    const options = { url: stage.frame.url, parent: stage.parent.url, sandbox }
    const page = await openInParent(stage.context, { ...options, channel: true })
    const [ready] = await received(page, 'port', 1)
    const { bundle, publicKey: credential } = await sealBundle(publicKey(ready))
    const lend: Message = { type: 'LATCHKEY_LEND_KEY', requestId: '2' }
    await send(page, [lend, inject(bundle, '1'), lend])
    const [, early] = await received(page, 'port', 4)
    expect(early?.value).toMatch(/^Error: the credential is null/)
    const lent = await page.evaluate(async () => {
      const { value } = window.harness.port[3] as { value: { publicKey: string; keyPair: CryptoKeyPair } }
      const { privateKey, publicKey: verifier } = value.keyPair
      const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
      const body = new Uint8Array([1, 2, 3])
      const signature = await crypto.subtle.sign(algorithm, privateKey, body)
      return {
        publicKey: value.publicKey,
        isGood: await crypto.subtle.verify(algorithm, verifier, signature, body),
        exported: await crypto.subtle.exportKey('pkcs8', privateKey).catch((error: Error) => error.name),
      }
    })
    expect(lent).toEqual({ publicKey: credential, isGood: true, exported: 'InvalidAccessError' })
    const older = await openInParent(stage.context, { ...options, channel: false })
    await received(older, 'window', 1)
    await older.evaluate(() => window.harness.post({ type: 'LATCHKEY_LEND_KEY', requestId: '1' }))
    expect((await received(older, 'window', 2))[1]).toMatchObject({ type: 'ERROR', requestId: '1' })
  })

  test('deletes a key stored before storage failed', async () => {
    const page = await open()
    const old = publicKey((await received(page, 'port', 1))[0])
    await getInner(page).evaluate(() => {
      const { open: real } = IDBFactory.prototype
      IDBFactory.prototype.open = () => {
        IDBFactory.prototype.open = real
        throw new DOMException('not now', 'UnknownError')
      }
    })
    await send(page, [
      { type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: '1' },
      { type: 'RESET_EMBEDDED_KEY', requestId: '2' },
    ])
    const [, got, reset] = await received(page, 'port', 3)
    expect([got?.value, reset?.type]).toEqual([old, 'EMBEDDED_KEY_RESET'])
    expect(publicKey((await received(await open(), 'port', 1))[0])).not.toBe(old)
  })

  test('reports a purged store, keeps stamping and accepts a new key', async () => {
    const page = await open()
    const old = publicKey((await received(page, 'port', 1))[0])
    const { bundle } = await sealBundle(old)
    await send(page, [inject(bundle, '1')])
    await received(page, 'port', 2)
    await getInner(page).evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const request = indexedDB.deleteDatabase('latchkey-auth-frame')
          request.onsuccess = () => resolve()
          request.onerror = () => reject(request.error)
        }),
    )
    await send(page, [stamp, inject(bundle, '3'), { type: 'INIT_EMBEDDED_KEY', requestId: '4' }])
    const [, , stamped, refused, made] = await received(page, 'port', 5)
    expect(stamped?.type).toBe('STAMP')
    expect(refused).toMatchObject({ type: 'ERROR', value: expect.stringContaining('no longer in this browser') })
    expect(made?.value).not.toBe(old)
    await send(page, [inject((await sealBundle(String(made?.value))).bundle, '5')])
    expect((await received(page, 'port', 6))[5]?.type).toBe('BUNDLE_INJECTED')
  })
})
