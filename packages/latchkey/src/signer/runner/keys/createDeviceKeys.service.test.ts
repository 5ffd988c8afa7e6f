import { startScript } from '@latchkey/testkit/signer/startScript'
import { verifyStamp } from '@latchkey/testkit/signer/verifyStamp'
import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import { expect, test } from 'vitest'
import { toDer } from '../../../web/encoding.ts'
import type { DeviceKeyPort, Platform } from '../../../web/platform.ts'
import { createDeviceKeys } from './createDeviceKeys.ts'

function memoryKeys() {
  const pairs = new Map<string, CryptoKeyPair>()
  const deviceKeys: DeviceKeyPort = {
    put: async (name, pair) => void pairs.set(name, pair),
    get: async (name) => pairs.get(name) ?? null,
    remove: async (name) => void pairs.delete(name),
  }
  const platform: Platform = { ...memoryPlatform(), deviceKeys }
  return { pairs, keys: createDeviceKeys({ platform }) }
}

test('makes verifiable stamps with a key that no script can read', async () => {
  const { pairs, keys } = memoryKeys()
  const publicKey = String(await keys.create(1))
  expect(publicKey).toMatch(/^0[23][0-9a-f]{64}$/)
  const body = '{"organizationId":"é"}'
  const { stampHeaderName, stampHeaderValue } = await keys.stamper(publicKey)(body)
  expect([stampHeaderName, verifyStamp(stampHeaderValue, body)]).toEqual(['X-Stamp', publicKey])
  expect(() => verifyStamp(stampHeaderValue, `${body} `)).toThrow('does not belong')
  const { privateKey } = pairs.get(publicKey) ?? {}
  await expect(crypto.subtle.exportKey('jwk', privateKey as CryptoKey)).rejects.toThrow()
})

test('encodes every signature in DER, also with short numbers', async () => {
  const { keys } = memoryKeys()
  const stamp = keys.stamper(String(await keys.create(1)))
  for (let index = 0; index < 300; index++) {
    const { stampHeaderValue } = await stamp(String(index))
    verifyStamp(stampHeaderValue, String(index))
  }
  const ends = (bytes: number[]) => Buffer.from(toDer(Uint8Array.from(bytes))).toString('hex')
  expect(ends([0, 0, 1, 0x80, 0, 0])).toBe('3009020101020400800000')
  expect(ends([0, 0, 0, 0x7f])).toBe('300602010002017f')
})

test('refuses a removed key and a platform without keys', async () => {
  const { keys } = memoryKeys()
  const publicKey = String(await keys.create(1))
  await keys.remove(publicKey)
  expect(await keys.has(publicKey)).toBe(false)
  await expect(keys.stamper(publicKey)('x')).rejects.toMatchObject({ code: 'SIGNER_NOT_AUTHENTICATED' })
  const without = createDeviceKeys({ platform: memoryPlatform() })
  expect(await without.has(publicKey)).toBe(false)
  await expect(without.create(1)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('signs in by the frame when the browser keeps no keys', async () => {
  const script = await startScript()
  const denied = () => Promise.reject(new DOMException('denied', 'SecurityError'))
  const { signer, platform } = script.open({
    isDevice: true,
    platform: { deviceKeys: { put: denied, get: denied, remove: denied } },
  })
  await signer.authenticate({ type: 'email', bundle: 'bundle', orgId: 'org' })
  expect(JSON.parse(script.storage.get('alchemy-signer-session') ?? '').state.session).not.toHaveProperty('deviceKey')
  expect(await signer.signMessage('hello')).toMatch(/^0x/)
  // The key in storage can no longer be read.
  const keys = createDeviceKeys({ platform })
  expect(await keys.has('02')).toBe(false)
  await expect(keys.stamper('02')('x')).rejects.toMatchObject({ code: 'SIGNER_NOT_AUTHENTICATED' })
  await script.close()
})
