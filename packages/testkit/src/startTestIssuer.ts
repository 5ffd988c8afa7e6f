import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { SignJWT } from 'jose'
import type { OidcProvider } from '../../server/src/store/oidcProviders.ts'
import { listen, readBody } from './signer/listen.ts'

type Key = { kid: string; privateKey: KeyObject; publicKey: KeyObject }

type Signing = {
  /** Public key (hex) to which the nonce binds the token. */
  boundTo?: string
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  key?: KeyObject | Uint8Array
}

export type TestIssuer = {
  /** Settings of the provider for a project. */
  provider: OidcProvider
  clientId: string
  /** Returns the number of requests for the key set. */
  countRequests(): number
  /** Returns a code that the token endpoint accepts once, with the verifier of the challenge. */
  grant(options: { codeChallenge: string; nonce: string; claims?: Record<string, unknown> }): string
  /** Replaces the response to requests; undefined restores the default. */
  answerBy(listener: RequestListener | undefined): void
  /** Returns the public key as PEM. */
  readPublicKey(): string
  /** Signs an identity token. `claims` and `header` override the defaults. */
  sign(options?: Signing): Promise<string>
  close(): Promise<void>
}

/** Returns the nonce that binds a token to a public key: SHA-256 of the key's hex text. */
export const toNonce = (publicKey: string): string => createHash('sha256').update(publicKey).digest('hex')

/**
 * Starts the endpoints of an identity provider that custody uses, over http on this machine. Signs any claims with
 * ES256.
 */
export async function startTestIssuer(options: Partial<OidcProvider> = {}): Promise<TestIssuer> {
  const key = createKey()
  const clientId = randomUUID()
  const jwk = { ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, alg: 'ES256', use: 'sig' }
  let requests = 0
  const codes = new Map<string, Parameters<TestIssuer['grant']>[0]>()
  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await readBody(request))
    const granted = codes.get(body.get('code') ?? '')
    codes.delete(body.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    if (granted?.codeChallenge !== challenge) {
      response.writeHead(400).end('{"error":"invalid_grant"}')
      return
    }
    const { nonce, claims } = granted
    response.end(JSON.stringify({ id_token: await sign({ claims: { nonce, ...claims } }) }))
  }
  let answer: RequestListener | undefined
  const { url, close } = await listen((request, response) => {
    requests++
    if (answer) return answer(request, response)
    response.setHeader('content-type', 'application/json')
    if (request.url === '/token') return void exchange(request, response)
    response.end(JSON.stringify({ keys: [jwk] }))
  })
  const sign: TestIssuer['sign'] = ({ boundTo, claims = {}, header = {}, key: signer = key.privateKey } = {}) => {
    const now = Math.floor(Date.now() / 1000)
    const usual = {
      iss: provider.issuer,
      aud: clientId,
      sub: randomUUID(),
      iat: now,
      exp: now + 600,
      ...(boundTo !== undefined && { nonce: toNonce(boundTo) }),
    }
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: key.kid, ...header })
      .sign(signer)
  }
  const provider: OidcProvider = {
    id: 'local',
    name: 'Local',
    issuer: url,
    audiences: [clientId],
    algorithms: ['ES256'],
    jwksUrl: `${url}/jwks`,
    network: 'private',
    provesEmail: true,
    client: { id: clientId, authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token` },
    ...options,
  }
  return {
    provider,
    clientId,
    countRequests: () => requests,
    answerBy(listener) {
      answer = listener
    },
    readPublicKey: () => String(key.publicKey.export({ type: 'spki', format: 'pem' })),
    sign,
    grant(granted) {
      const code = randomUUID()
      codes.set(code, granted)
      return code
    },
    close,
  }
}

function createKey(): Key {
  return { kid: randomUUID(), ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
}
