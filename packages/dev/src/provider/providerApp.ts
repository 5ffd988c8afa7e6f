import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { Hono } from 'hono'

/** Client id of the devnet's signer API. There is no client secret, because PKCE protects the codes. */
export const devClientId = 'latchkey-dev'

export declare namespace providerApp {
  type Parameters = {
    /** URL of this identity provider. */
    issuer: string
    /** Page that receives the codes. */
    callbackUrl: string
  }
}

type Grant = { name: string; nonce: string; challenge: string; endsMs: number }

const codeMs = 60_000
const maxGrants = 1_000
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

/**
 * Serves the devnet's identity provider (OpenID Connect Core 1.0). Any name signs in without a password, and each name
 * is one person: `ann` always has the address ann@example.com. The address is unverified if the name starts with
 * `unverified`; there is no address if it starts with `nameless`. A code works once and requires its PKCE verifier (RFC
 * 7636).
 */
export function providerApp({ issuer, callbackUrl }: providerApp.Parameters): Hono {
  const key = createKey()
  const grants = new Map<string, Grant>()
  const app = new Hono()
  app.use(async (context, next) => {
    await next()
    context.header('Cache-Control', 'no-store')
    context.header('Content-Security-Policy', policy)
    context.header('X-Content-Type-Options', 'nosniff')
  })
  app.get('/.well-known/openid-configuration', (context) =>
    context.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }),
  )
  app.get('/jwks', (context) => context.json({ keys: [key.jwk] }))
  app.get('/authorize', (context) => {
    const request = readRequest(context.req.query(), callbackUrl)
    return request ? context.html(page(new URL(context.req.url).search)) : context.text(refusal, 400)
  })
  app.post('/authorize', async (context) => {
    const request = readRequest(context.req.query(), callbackUrl)
    const { name } = await context.req.parseBody()
    if (!request || typeof name !== 'string' || !/^[\w.+@-]{1,64}$/.test(name)) return context.text(refusal, 400)
    const code = randomUUID()
    for (const oldest of [...grants.keys()].slice(0, grants.size - maxGrants + 1)) grants.delete(oldest)
    grants.set(code, { ...request, name: name.toLowerCase(), endsMs: Date.now() + codeMs })
    const target = new URL(callbackUrl)
    for (const [member, value] of Object.entries({ code, state: request.state, iss: issuer }))
      target.searchParams.set(member, value)
    return context.redirect(target.href, 303)
  })
  app.post('/token', async (context) => {
    const { code, code_verifier: verifier, client_id: client, redirect_uri: target } = await context.req.parseBody()
    const grant = grants.get(String(code))
    grants.delete(String(code))
    const challenge = createHash('sha256').update(String(verifier)).digest('base64url')
    const isRight = client === devClientId && target === callbackUrl && grant?.challenge === challenge
    if (!grant || !isRight || grant.endsMs <= Date.now()) return context.json({ error: 'invalid_grant' }, 400)
    return context.json({ id_token: key.sign(claims(issuer, grant)), token_type: 'Bearer', access_token: randomUUID() })
  })
  return app
}

function readRequest(query: Record<string, string>, callbackUrl: string) {
  const { client_id, redirect_uri, response_type, code_challenge_method, state, nonce, code_challenge } = query
  const isRight = client_id === devClientId && redirect_uri === callbackUrl && response_type === 'code'
  if (!isRight || code_challenge_method !== 'S256' || !state || !nonce || !code_challenge) return undefined
  return { state, nonce, challenge: code_challenge }
}

const refusal = 'This is not a sign-in that the devnet started.'

function claims(issuer: string, { name, nonce }: Grant) {
  const seconds = Math.floor(Date.now() / 1000)
  return {
    iss: issuer,
    aud: devClientId,
    sub: createHash('sha256').update(name).digest('hex'),
    nonce,
    iat: seconds,
    exp: seconds + 600,
    ...(!name.startsWith('nameless') && {
      email: name.includes('@') ? name : `${name}@example.com`,
      email_verified: !name.startsWith('unverified'),
    }),
  }
}

function createKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = randomUUID()
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' },
    sign(payload: object): string {
      const text = `${encode({ alg: 'ES256', kid })}.${encode(payload)}`
      const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      return `${text}.${signature.toString('base64url')}`
    },
  }
}

function page(search: string): string {
  const action = `/authorize${search.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Devnet identity provider</title>
<style>body{font:16px system-ui;max-width:24rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}input,button{font:inherit;padding:.5rem;width:100%;box-sizing:border-box;margin-top:.5rem}</style>
<main>
<h1>Devnet identity provider</h1>
<form method="post" action="${action}">
<label for="name">Name or email address of anybody</label>
<input id="name" name="name" required maxlength="64" pattern="[\\w.+@\\-]+" autocomplete="off" autofocus>
<button>Sign in</button>
</form>
</main>
</html>`
}
