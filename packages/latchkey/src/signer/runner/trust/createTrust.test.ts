import type { AccountStatement } from 'latchkey-protocol'
import { beforeEach, describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../core/storage/memoryStorage.ts'
import type { StoragePort } from '../../../core/storage/StoragePort.ts'
import { toHex } from '../../../web/encoding.ts'
import type { PinnedServer } from '../../types.ts'
import { createTrust } from './createTrust.ts'

// In these tests, the signer service is compromised.

const signerApiUrl = 'https://api.example'
const config = {
  custodyUrl: 'https://custody.example/v1',
  authFrameUrl: 'https://auth.example/?project=a',
  exportFrameUrl: 'https://export.example',
  importFrameUrl: 'https://import.example',
  rootOrgId: 'root',
}
const account = { orgId: 'o', userId: 'u', address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }
const credential = '02aa'

let storage: StoragePort
beforeEach(() => {
  storage = memoryStorage()
})
/** Opens a signer with the same storage, as after a reload. */
const open = (pinned?: PinnedServer, url = signerApiUrl) =>
  createTrust({ endpoints: { signerApiUrl: url, pinned }, storage, key: 'k' })
const changed = (message: string) =>
  expect.objectContaining({ code: 'ENDPOINTS_CHANGED', message: expect.stringContaining(message) })

describe('checkConfig', () => {
  const names = ['custodyUrl', 'authFrameUrl', 'exportFrameUrl', 'importFrameUrl'] as const

  test.each(names)('keeps the origin of the first visit: %s', (name) => {
    open().checkConfig(config)
    open().checkConfig({ ...config, authFrameUrl: 'https://auth.example/?project=b' })
    expect(() => open().checkConfig({ ...config, [name]: 'https://evil.example' })).toThrow(
      changed(`a different origin for ${name}: https://evil.example instead of ${new URL(config[name]).origin}`),
    )
    open().checkConfig(config)
  })

  test.each(names)('compares a pinned origin on the first visit: %s', (name) => {
    const pinned = { [name]: `${config[name]}/any/path` }
    open(pinned).checkConfig(config)
    storage = memoryStorage()
    expect(() => open(pinned).checkConfig({ ...config, [name]: 'https://evil.example' })).toThrow(
      changed('The app pins'),
    )
    expect(storage.getItem('k')).toBe(null)
  })

  test('prefers the origins that the app pins to those of the first visit', () => {
    open().checkConfig(config)
    const moved = { ...config, custodyUrl: 'https://new.example' }
    expect(() => open().checkConfig(moved)).toThrow(changed('pin its new origins in the app'))
    open({ custodyUrl: 'https://new.example' }).checkConfig(moved)
    open().checkConfig(moved)
  })

  test('treats another signer service as another server, and stores nothing for localhost', () => {
    open().checkConfig(config)
    const other = { ...config, custodyUrl: 'https://other.example' }
    open(undefined, 'https://api.other.example').checkConfig(other)
    storage = memoryStorage()
    for (const url of ['http://localhost:4101', 'http://127.0.0.1:4101', 'http://[::1]:4101']) {
      open(undefined, url).checkConfig(config)
      open(undefined, url).checkConfig(other)
    }
    expect(storage.getItem('k')).toBe(null)
    expect(() => open({ custodyUrl: 'https://x.example' }, 'http://localhost:4101').checkConfig(config)).toThrow(
      changed(''),
    )
  })

  test('treats a corrupted store as empty', () => {
    for (const text of ['{', 'null', '5', '{"signerApiUrl":5}']) {
      storage.setItem('k', text)
      open().checkConfig(config)
    }
  })
})

describe('checkAccount', () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const newKey = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  async function sign(keys: CryptoKeyPair, changes: object = {}): Promise<AccountStatement> {
    const content = { statement: 'account', credential, organizationId: 'o', userId: 'u', address: account.address }
    const data = JSON.stringify({ ...content, ...changes })
    const signature = await crypto.subtle.sign(algorithm, keys.privateKey, new TextEncoder().encode(data))
    const signingKey = toHex(new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey)))
    return { data, signature: toHex(new Uint8Array(signature)), signingKey }
  }
  const check = (statement: unknown, pinned?: PinnedServer, named = account) =>
    open(pinned).checkAccount(named, statement, () => credential)
  const unproven = (why: string) => ({ code: 'ACCOUNT_UNPROVEN', message: expect.stringContaining(why) })

  test('accepts a statement signed by the pinned key or the key of the first visit', async () => {
    const custody = await newKey()
    const statement = await sign(custody)
    await check(statement)
    await check(statement)
    await check(statement, { signingKey: statement.signingKey.toUpperCase() })
  })

  test('accepts a missing statement until custody has signed one', async () => {
    await check(undefined)
    const statement = await sign(await newKey())
    await check(statement)
    await expect(check(undefined)).rejects.toMatchObject(unproven('Custody has not signed it'))
  })

  test('refuses another address, user or organization', async () => {
    const statement = await sign(await newKey())
    for (const lie of [
      { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
      { userId: 'other' },
      { orgId: 'other' },
    ])
      await expect(check(statement, {}, { ...account, ...lie })).rejects.toMatchObject(
        unproven('another user or address'),
      )
  })

  test('refuses a valid statement for the attacker’s own account', async () => {
    const statement = await sign(await newKey(), { credential: '03bb' })
    await expect(check(statement)).rejects.toMatchObject(unproven('another user or address'))
  })

  test('refuses another kind of text under the same key', async () => {
    const statement = await sign(await newKey(), { statement: undefined, targetPublic: '04' })
    await expect(check(statement)).rejects.toMatchObject(unproven('another user or address'))
  })

  test('refuses a changed text, a foreign key and a malformed signature', async () => {
    const custody = await newKey()
    const statement = await sign(custody)
    const { signingKey } = statement
    const forged = await sign(await newKey())
    for (const [wrong, pinned, why] of [
      [{ ...statement, data: statement.data.replace('"u"', '"v"') }, undefined, 'signature is wrong'],
      [{ ...forged, signingKey }, undefined, 'signature is wrong'],
      [{ ...statement, signature: '00' }, undefined, 'not signed'],
      [{ ...statement, signingKey: '04' }, undefined, 'not signed'],
      [{ ...statement, signingKey: `04${'11'.repeat(64)}` }, undefined, 'signature is wrong'],
      ['x', undefined, 'not signed'],
      [forged, { signingKey }, 'signed by a different key'],
      [undefined, { signingKey }, 'not signed'],
    ] as const)
      await expect(check(wrong, pinned)).rejects.toMatchObject(unproven(why))
    await check(statement)
    await expect(check(forged)).rejects.toMatchObject(unproven('signed by a different key'))
  })
})
