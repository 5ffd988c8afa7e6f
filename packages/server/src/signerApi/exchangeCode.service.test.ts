import { readBody } from '@latchkey/testkit/signer/listen'
import { startTestIssuer } from '@latchkey/testkit/startTestIssuer'
import { afterAll, expect, test } from 'vitest'
import { type OidcClient, readOidcProviders } from '../store/oidcProviders.ts'
import { exchangeCode } from './exchangeCode.ts'

const issuer = await startTestIssuer()
afterAll(() => issuer.close())

async function exchange(changes: Partial<OidcClient>) {
  const { client } = issuer.provider
  const [provider] = readOidcProviders('shop', [
    { ...issuer.provider, ...(client && { client: { ...client, ...changes } }) },
  ])
  let got: Record<string, string | undefined> = {}
  issuer.answerBy((request, response) => {
    void readBody(request).then((body) => {
      got = { ...Object.fromEntries(new URLSearchParams(body)), authorization: request.headers.authorization }
      response.end('{"id_token":"a.b.c"}')
    })
  })
  if (!provider) throw new TypeError('no provider')
  const token = await exchangeCode(provider, { code: 'c', verifier: 'v', callbackUrl: 'https://auth.example/oauth/' })
  expect(token).toBe('a.b.c')
  return got
}

const usual = {
  grant_type: 'authorization_code',
  code: 'c',
  code_verifier: 'v',
  redirect_uri: 'https://auth.example/oauth/',
}

test('proves the client by the secret of its settings, or by PKCE alone', async () => {
  const client_id = issuer.clientId
  expect(await exchange({})).toEqual({ ...usual, client_id })
  const basic = Buffer.from(`${client_id}:a%2Fb+c`).toString('base64')
  expect(await exchange({ secret: 'a/b c' })).toEqual({ ...usual, authorization: `Basic ${basic}` })
  expect(await exchange({ secret: 'a/b c', secretIn: 'body' })).toEqual({ ...usual, client_id, client_secret: 'a/b c' })
})
