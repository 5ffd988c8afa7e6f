import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { verifyWebhook } from './verifyWebhook.ts'

const now = 1_750_000_000_000
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const event = {
  id: '5c0f1f3e-9a68-4d3c-8f0b-6a3a7b9ef001',
  type: 'user.created',
  timestamp: new Date(now).toISOString(),
  projectId: 'app',
  data: { organizationId: 'o', userId: 'ü' },
}
const body = JSON.stringify(event)

function sign(text: string, { by = secret, id = event.id, seconds = now / 1000 } = {}): Record<string, string> {
  const mac = createHmac('sha256', Buffer.from(by.slice(6), 'base64')).update(`${id}.${seconds}.${text}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${mac.digest('base64')}`,
  }
}

test('accepts signed text and bytes with headers in any form', async () => {
  const headers = sign(body)
  const titled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
  // Polyfills have their own `Headers` class.
  const foreign = { get: (name: string) => new Headers(headers).get(name) } as Headers
  for (const each of [headers, new Headers(headers), titled, foreign])
    for (const bytes of [body, new TextEncoder().encode(body)])
      expect(await verifyWebhook({ body: bytes, headers: each, secret, now })).toEqual(event)
})

test('accepts one matching secret and one matching signature among several', async () => {
  const next = newSecret()
  const both = { ...sign(body), 'webhook-signature': `${sign(body)['webhook-signature']} v1a,x v1,??` }
  expect(await verifyWebhook({ body, headers: both, secret: [next, secret], now })).toEqual(event)
  const signature = `${sign(body, { by: next })['webhook-signature']} ${sign(body)['webhook-signature']}`
  const headers = { ...sign(body), 'webhook-signature': signature }
  for (const each of [secret, next]) expect(await verifyWebhook({ body, headers, secret: each, now })).toEqual(event)
})

test('refuses events whose signature, time or secret is wrong', async () => {
  const refusals: [Partial<verifyWebhook.Parameters>, string][] = [
    [{ body: body.replace('"o"', '"p"') }, 'SIGNATURE_INVALID'],
    [{ headers: sign(body, { by: newSecret() }) }, 'SIGNATURE_INVALID'],
    [{ headers: { ...sign(body), 'webhook-id': 'another' } }, 'SIGNATURE_INVALID'],
    [{ headers: { ...sign(body), 'webhook-timestamp': String(now / 1000 + 1) } }, 'SIGNATURE_INVALID'],
    [{ headers: { ...sign(body), 'webhook-timestamp': '1e9' } }, 'SIGNATURE_INVALID'],
    [{ headers: { ...sign(body), 'webhook-signature': 'v1,' } }, 'SIGNATURE_INVALID'],
    // An attacker may replay an intercepted event later.
    [{ now: now + 301_000 }, 'SIGNATURE_INVALID'],
    [{ now: now - 301_000 }, 'SIGNATURE_INVALID'],
    [{ headers: {} }, 'SIGNATURE_MISSING'],
    [{ secret: 'secret' }, 'ARGUMENT_INVALID'],
    [{ secret: 'whsec_c2hvcnQ=' }, 'ARGUMENT_INVALID'],
  ]
  for (const [changed, code] of refusals)
    await expect(
      verifyWebhook({ body, headers: sign(body), secret, now, ...changed }),
      JSON.stringify(changed),
    ).rejects.toMatchObject({ code })
})

test('refuses a signed body that is not an event or has another id', async () => {
  const changed = [
    { ...event, id: 'x' },
    { ...event, type: 'x' },
  ].map((value) => JSON.stringify(value))
  for (const text of ['', 'null', '[]', '{}', ...changed])
    await expect(verifyWebhook({ body: text, headers: sign(text), secret, now }), text).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    })
})

test('accepts toleranceSeconds', async () => {
  const late = { body, headers: sign(body), secret, now: now + 301_000 }
  expect(await verifyWebhook({ ...late, toleranceSeconds: 600 })).toEqual(event)
})
