import { passkeyTab } from '@latchkey/testkit/signer/passkeyTab'
import { expect, test } from 'vitest'
import { addAuthenticator } from '../../../../dev/src/testing/addAuthenticator.ts'
import { verifyAssertion } from '../../../../server/src/webauthn/verifyAssertion.ts'
import { verifyRegistration } from '../../../../server/src/webauthn/verifyRegistration.ts'
import { readWebauthnStamp, webauthnChallenge } from '../../../../server/src/webauthn/webauthnStamp.ts'
import type { PasskeyStampParameters } from '../platform.ts'

const at = passkeyTab()

const body = '{"organizationId":"24c1acf5-810f-41e0-a503-d5d13fa8e830"}'
const register = async () => {
  const { challenge, attestation } = await at.tab.evaluate(() => window.page.passkeys.create({ username: 'ann' }))
  return verifyRegistration({ challenge, attestation, allowedOrigins: [at.page.url] })
}
const problem = (made: object | undefined, credential: verifyRegistration.ReturnType) =>
  verifyAssertion({
    assertion: readWebauthnStamp(JSON.stringify(made)),
    challenge: webauthnChallenge(Buffer.from(body)),
    allowedOrigins: [at.page.url],
    credential,
  }).problem
const stamp = (parameters: PasskeyStampParameters) =>
  at.tab.evaluate(
    (given) =>
      window.page.passkeys.stamp(given).then(
        (made) => ({ made, code: undefined, message: '' }),
        ({ code, message }: { code: string; message: string }) => ({ made: undefined, code, message }),
      ),
    parameters,
  )

test('signs the hex digest of the body by the named passkey with the documented options', async () => {
  await addAuthenticator(at.tab)
  await register()
  const passkey = await register()
  await at.tab.evaluate(() => {
    const original = navigator.credentials.get.bind(navigator.credentials)
    navigator.credentials.get = (options) => {
      const { challenge, allowCredentials, ...rest } = options?.publicKey ?? ({} as PublicKeyCredentialRequestOptions)
      const text = new TextDecoder().decode(challenge as Uint8Array)
      const allowed = allowCredentials?.map(({ id, ...others }) => ({ bytes: id.byteLength, ...others }))
      Object.assign(window, { seen: { ...rest, challenge: text, allowCredentials: allowed } })
      return original(options)
    }
  })
  const { made } = await stamp({ body, credentialId: passkey.credentialId })
  expect(problem(made, passkey)).toBeUndefined()
  expect(await at.tab.evaluate(() => (window as unknown as { seen: unknown }).seen)).toEqual({
    // Challenge of the published test vector.
    challenge: '482727601c96be4578ea0638303c4cb0297fecf66830d5a0626510473329db28',
    rpId: 'localhost',
    allowCredentials: [{ bytes: 32, type: 'public-key' }],
    timeout: 300_000,
    userVerification: 'preferred',
  })
})

test('fails when the passkey is not on this device', async () => {
  await addAuthenticator(at.tab)
  await register()
  expect((await stamp({ body, credentialId: 'AAAA' })).code).toBe('PASSKEY_CANCELLED')
})

test('distinguishes a timed out prompt from a closed one', async () => {
  const codes = await at.tab.evaluate(async (text) => {
    const now = performance.now.bind(performance)
    let laterMs = 0
    performance.now = () => now() + laterMs
    const refuse = (name: string, afterMs: number) => {
      laterMs = 0
      navigator.credentials.get = () => {
        laterMs = afterMs
        return Promise.reject(new DOMException('no', name))
      }
      return window.page.passkeys.stamp({ body: text }).catch((error: { code: string }) => error.code)
    }
    return [
      await refuse('NotAllowedError', 1_000),
      await refuse('NotAllowedError', 300_000),
      await refuse('AbortError', 300_000),
      await refuse('TimeoutError', 1_000),
    ]
  }, body)
  expect(codes).toEqual(['PASSKEY_CANCELLED', 'PASSKEY_TIMEOUT', 'PASSKEY_CANCELLED', 'PASSKEY_TIMEOUT'])
})

test("accepts a password manager's result, which is a plain object, and its errors", async () => {
  await addAuthenticator(at.tab)
  const passkey = await register()
  await at.tab.evaluate(() => {
    const original = navigator.credentials.get.bind(navigator.credentials)
    navigator.credentials.get = async (options) => {
      const { id, type, rawId, response } = (await original(options)) as PublicKeyCredential
      const { authenticatorData, clientDataJSON, signature } = response as AuthenticatorAssertionResponse
      return { id, type, rawId, response: { authenticatorData, clientDataJSON, signature } } as unknown as Credential
    }
  })
  expect(problem((await stamp({ body })).made, passkey)).toBeUndefined()
  await at.tab.evaluate(() => {
    navigator.credentials.get = () => Promise.reject({ name: 'NotAllowedError', message: 'closed' })
  })
  expect((await stamp({ body })).code).toBe('PASSKEY_CANCELLED')
  await at.tab.evaluate(() => {
    navigator.credentials.get = () => Promise.resolve(null)
  })
  expect((await stamp({ body })).code).toBe('PASSKEY_UNSUPPORTED')
})

test.each([undefined, ['usb']])('signs with a security key, given transports %j', async (transports) => {
  await addAuthenticator(at.tab, { transport: 'usb' })
  const passkey = await register()
  const { made } = await stamp({ body, credentialId: passkey.credentialId, transports })
  expect(problem(made, passkey)).toBeUndefined()
})

test('ends a prompt that the browser never answers', async () => {
  await at.tab.clock.install()
  const ended = at.tab.evaluate(() => {
    const never = () => new Promise<never>(() => {})
    Object.assign(navigator.credentials, { get: never, create: never })
    const { passkeys } = window.page
    const code = (error: { code: string }) => error.code
    return Promise.all([
      passkeys.stamp({ body: '{}' }).then(String, code),
      passkeys.create({ username: 'ann' }).then(String, code),
    ])
  })
  // The prompt may not be open yet.
  let codes: string[] | undefined
  void ended.then((all) => {
    codes = all
  })
  await expect
    .poll(async () => {
      await at.tab.clock.fastForward(400_000)
      return codes
    })
    .toEqual(['PASSKEY_TIMEOUT', 'PASSKEY_TIMEOUT'])
})
