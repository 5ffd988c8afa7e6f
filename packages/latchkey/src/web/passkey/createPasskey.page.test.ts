import { passkeyTab } from '@latchkey/testkit/signer/passkeyTab'
import { describe, expect, test } from 'vitest'
import { addAuthenticator } from '../../../../dev/src/testing/addAuthenticator.ts'
import { verifyRegistration } from '../../../../server/src/webauthn/verifyRegistration.ts'
import type { PasskeyCreateParameters } from '../platform.ts'

const at = passkeyTab()

const create = (parameters: PasskeyCreateParameters) =>
  at.tab.evaluate(
    (given) =>
      window.page.passkeys.create(given).then(
        (made) => ({ made, code: undefined, message: '' }),
        ({ code, message }: { code: string; message: string }) => ({ made: undefined, code, message }),
      ),
    parameters,
  )
const watch = () =>
  at.tab.evaluate(() => {
    const original = navigator.credentials.create.bind(navigator.credentials)
    navigator.credentials.create = (options) => {
      const seen = JSON.stringify(options?.publicKey, (_key, value) =>
        value instanceof Uint8Array ? { bytes: value.length } : value,
      )
      Object.assign(window, { seen: JSON.parse(seen) })
      return original(options)
    }
  })
const seen = () => at.tab.evaluate(() => (window as unknown as { seen: Record<string, unknown> }).seen)
const transports = (names: string[] | undefined) =>
  at.tab.evaluate((told) => {
    Object.defineProperty(AuthenticatorAttestationResponse.prototype, 'getTransports', {
      value: told && (() => told),
      configurable: true,
    })
  }, names)

test('uses the documented options and returns a registration that the server accepts', async () => {
  const authenticator = await addAuthenticator(at.tab)
  await watch()
  const { made } = await create({ username: 'ann' })
  expect(await seen()).toEqual({
    challenge: { bytes: 32 },
    pubKeyCredParams: [
      { alg: -7, type: 'public-key' },
      { alg: -257, type: 'public-key' },
    ],
    rp: { id: 'localhost', name: 'localhost' },
    user: { id: { bytes: 32 }, name: 'ann', displayName: 'ann' },
    authenticatorSelection: {
      residentKey: 'preferred',
      requireResidentKey: false,
      userVerification: 'preferred',
    },
  })
  if (!made) throw new TypeError('no passkey')
  const { credentialId: id } = verifyRegistration({ ...made, allowedOrigins: [at.page.url] })
  expect(made.attestation.transports).toEqual(['AUTHENTICATOR_TRANSPORT_INTERNAL'])
  const [credential] = await authenticator.credentials()
  expect(Buffer.from(credential?.credentialId ?? '', 'base64').toString('base64url')).toBe(id)
  expect(credential).toMatchObject({ isResidentCredential: true, rpId: 'localhost', userName: 'ann' })
})

test('accepts all options but challenge and algorithms', async () => {
  await addAuthenticator(at.tab)
  await watch()
  const { made } = await at.tab.evaluate(async () => ({
    made: await window.page.passkeys.create({
      username: 'ann',
      rpId: 'elsewhere.example',
      options: {
        publicKey: {
          rp: { id: 'localhost' },
          user: { displayName: 'Ann' },
          authenticatorSelection: { userVerification: 'required', authenticatorAttachment: 'platform' },
          timeout: 20_000,
          challenge: new Uint8Array(1),
          pubKeyCredParams: [{ alg: -8, type: 'public-key' }],
        },
      },
    }),
  }))
  expect(await seen()).toMatchObject({
    challenge: { bytes: 32 },
    pubKeyCredParams: [{ alg: -7 }, { alg: -257 }],
    rp: { id: 'localhost', name: 'elsewhere.example' },
    user: { name: 'ann', displayName: 'Ann' },
    authenticatorSelection: {
      residentKey: 'preferred',
      userVerification: 'required',
      authenticatorAttachment: 'platform',
    },
    timeout: 20_000,
  })
  expect(made.attestation.credentialId).not.toBe('')
})

describe('transports', () => {
  test('maps every transport name of the browser', async () => {
    await addAuthenticator(at.tab)
    await transports(['ble', 'hybrid', 'internal', 'nfc', 'usb'])
    expect((await create({ username: 'ann' })).made?.attestation.transports).toEqual(
      ['BLE', 'HYBRID', 'INTERNAL', 'NFC', 'USB'].map((name) => `AUTHENTICATOR_TRANSPORT_${name}`),
    )
  })

  test.each([[undefined], [[]]])('replaces %j by internal and hybrid', async (told) => {
    await addAuthenticator(at.tab)
    await transports(told)
    expect((await create({ username: 'ann' })).made?.attestation.transports).toEqual([
      'AUTHENTICATOR_TRANSPORT_INTERNAL',
      'AUTHENTICATOR_TRANSPORT_HYBRID',
    ])
  })

  test.each(['smart-card', 'cable', 'quantum', 'constructor', ''])(
    'ignores %j next to a known transport',
    async (name) => {
      await addAuthenticator(at.tab)
      await transports([name, 'usb'])
      const { made } = await create({ username: 'ann' })
      expect(made?.attestation.transports).toEqual(['AUTHENTICATOR_TRANSPORT_USB'])
      expect(made?.transports).toEqual([name, 'usb'])
    },
  )

  test('refuses a passkey with only unknown transports, and tells the browser', async () => {
    await addAuthenticator(at.tab)
    await transports(['smart-card', 'constructor'])
    await at.tab.evaluate(() => {
      Object.assign(PublicKeyCredential, {
        signalUnknownCredential: async (signalled: object) => Object.assign(window, { signalled }),
      })
    })
    const { code, message } = await create({ username: 'ann' })
    expect(code).toBe('PASSKEY_TRANSPORT_UNKNOWN')
    expect(message).toMatch(/^unsupported transport format\n/)
    const signalled = await at.tab.evaluate(() => (window as unknown as { signalled: unknown }).signalled)
    expect(signalled).toEqual({ rpId: 'localhost', credentialId: expect.stringMatching(/^[\w-]{20,}$/) })
  })
})

test.each([
  ['a'.repeat(70), 'a'.repeat(64)],
  ['ü'.repeat(40), 'ü'.repeat(32)],
  [`${'a'.repeat(62)}🔑b`, 'a'.repeat(62)],
])('cuts the name %s to 64 bytes between characters', async (username, name) => {
  await addAuthenticator(at.tab)
  await watch()
  await create({ username })
  expect(await seen()).toMatchObject({ user: { name, displayName: name } })
  await create({ username: 'ann', options: { publicKey: { user: { displayName: username } } } })
  expect(await seen()).toMatchObject({ user: { name: 'ann', displayName: name } })
})

test('refuses a relying party of another site', async () => {
  await addAuthenticator(at.tab)
  const { code, message } = await create({ username: 'ann', rpId: 'example.com' })
  expect(code).toBe('PASSKEY_FAILED')
  expect(message).toContain('localhost may not use passkeys of example.com')
  expect(message).toContain('Set `rpId`')
})

test("accepts a password manager's passkey, which is a plain object", async () => {
  await addAuthenticator(at.tab)
  await at.tab.evaluate(() => {
    const original = navigator.credentials.create.bind(navigator.credentials)
    navigator.credentials.create = async (options) => {
      const { id, type, rawId, response } = (await original(options)) as PublicKeyCredential
      const { attestationObject, clientDataJSON } = response as AuthenticatorAttestationResponse
      const plain = { attestationObject, clientDataJSON, getTransports: () => ['internal'] }
      return { id, type, rawId, response: plain } as unknown as Credential
    }
  })
  const { made, code } = await create({ username: 'ann' })
  expect(code).toBeUndefined()
  if (!made) throw new TypeError('no passkey')
  verifyRegistration({ ...made, allowedOrigins: [at.page.url] })
})
