import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { devClientId, providerApp } from './providerApp.ts'

const issuer = 'http://localhost:4114'
const callbackUrl = 'http://localhost:4104/oauth/'
const app = providerApp({ issuer, callbackUrl })
const verifier = 'a secret'
const request = {
  client_id: devClientId,
  redirect_uri: callbackUrl,
  response_type: 'code',
  state: 's',
  nonce: 'n',
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}
const authorize = (name: string, query: Record<string, string> = request) =>
  app.request(`/authorize?${new URLSearchParams(query)}`, { method: 'POST', body: new URLSearchParams({ name }) })

async function exchange(code: string, changes: Record<string, string> = {}) {
  const body = { client_id: devClientId, redirect_uri: callbackUrl, code, code_verifier: verifier, ...changes }
  const response = await app.request('/token', { method: 'POST', body: new URLSearchParams(body) })
  return { status: response.status, json: (await response.json()) as { id_token?: string } }
}

async function readCode(name: string): Promise<string> {
  const target = new URL((await authorize(name)).headers.get('location') ?? '')
  expect(Object.fromEntries(target.searchParams)).toMatchObject({ state: 's', iss: issuer })
  return target.searchParams.get('code') ?? ''
}

test('signs in the same person for the same name', async () => {
  const read = async (name: string) => {
    const { json } = await exchange(await readCode(name))
    return JSON.parse(Buffer.from(json.id_token?.split('.')[1] ?? '', 'base64url').toString())
  }
  const ann = await read('ann')
  expect(ann).toMatchObject({ iss: issuer, aud: devClientId, nonce: 'n', email: 'ann@example.com' })
  expect((await read('Ann')).sub).toBe(ann.sub)
  expect((await read('bob')).sub).not.toBe(ann.sub)
  expect([ann.email_verified, (await read('unverified-ann')).email_verified]).toEqual([true, false])
  expect(await read('nameless-ann')).not.toHaveProperty('email')
})

test('exchanges a code once, with its secret', async () => {
  const code = await readCode('ann')
  expect((await exchange(code)).status).toBe(200)
  expect((await exchange(code)).status).toBe(400)
  for (const changes of [{ code_verifier: 'x' }, { client_id: 'x' }, { redirect_uri: 'http://localhost/' }])
    expect((await exchange(await readCode('ann'), changes)).status).toBe(400)
})

test('sends codes to the devnet only, and keeps markup out of its page', async () => {
  for (const [name, value] of [
    ['redirect_uri', 'https://evil.example/'],
    ['client_id', 'x'],
    ['code_challenge_method', 'plain'],
  ] as const)
    expect((await authorize('ann', { ...request, [name]: value })).status).toBe(400)
  expect((await authorize('<b>')).status).toBe(400)
  const shown = await app.request(`/authorize?${new URLSearchParams(request)}&x="><script>`)
  expect(await shown.text()).not.toContain('<script')
})
