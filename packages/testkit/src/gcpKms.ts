import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { listen, readBody } from './signer/listen.ts'

type Reply = { status: number; body: object }
const refusal = (status: number, name: string): Reply => ({
  status,
  // Error text with sensitive details, which a client must not forward.
  body: { error: { code: status, status: name, message: 'The ciphertext c2VjcmV0 is not of this key' } },
})

/**
 * Starts a server with the Google Cloud KMS calls that key encryption uses, and a metadata server that issues its
 * tokens.
 */
export async function startTestGcpKms() {
  const key = 'projects/shop/locations/europe-west1/keyRings/latchkey/cryptoKeys/wallets'
  const secret = randomBytes(32)
  const tokens = new Set<string>()
  const token = { seconds: 3_600 }
  const issued: string[] = []
  const requests: string[] = []
  let refusals: Reply[] = []
  let hasAccount = true
  let hangs = false

  function encrypt({ plaintext = '', additionalAuthenticatedData = '' }: Record<string, string>): Reply {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(additionalAuthenticatedData))
    const box = Buffer.concat([nonce, cipher.update(plaintext, 'base64'), cipher.final(), cipher.getAuthTag()])
    return { status: 200, body: { name: `${key}/cryptoKeyVersions/1`, ciphertext: box.toString('base64') } }
  }

  function decrypt({ ciphertext = '', additionalAuthenticatedData = '' }: Record<string, string>): Reply {
    const box = Buffer.from(ciphertext, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', secret, box.subarray(0, 12))
      decipher.setAAD(Buffer.from(additionalAuthenticatedData)).setAuthTag(box.subarray(-16))
      const plaintext = Buffer.concat([decipher.update(box.subarray(12, -16)), decipher.final()])
      return { status: 200, body: { plaintext: plaintext.toString('base64') } }
    } catch {
      return refusal(400, 'INVALID_ARGUMENT')
    }
  }

  function issue(): Reply {
    if (!hasAccount) return { status: 404, body: {} }
    const access_token = `ya29.${randomBytes(12).toString('hex')}`
    tokens.add(access_token)
    issued.push(access_token)
    return { status: 200, body: { access_token, expires_in: token.seconds, token_type: 'Bearer' } }
  }

  function respond(path: string, authorization: string | undefined, body: string): Reply {
    if (!tokens.has(authorization?.replace('Bearer ', '') ?? '')) return refusal(401, 'UNAUTHENTICATED')
    const next = refusals.shift()
    if (next) return next
    requests.push(body)
    if (path === `/v1/${key}:encrypt`) return encrypt(JSON.parse(body))
    return path === `/v1/${key}:decrypt` ? decrypt(JSON.parse(body)) : refusal(404, 'NOT_FOUND')
  }

  const { url, close } = await listen(async (request, response) => {
    if (hangs) return
    const path = request.url ?? ''
    const isMetadata = path === '/computeMetadata/v1/instance/service-accounts/default/token'
    if (isMetadata && request.headers['metadata-flavor'] !== 'Google') return response.writeHead(403).end()
    const body = await readBody(request)
    const reply = isMetadata ? issue() : respond(path, request.headers.authorization, body)
    response
      .writeHead(reply.status, {
        'content-type': 'application/json',
        ...(isMetadata && { 'metadata-flavor': 'Google' }),
      })
      .end(JSON.stringify(reply.body))
  }, '127.0.0.1')
  return {
    url,
    close,
    key,
    issued,
    requests,
    /** Lifetime of issued tokens. */
    token,
    /** Refuses the next requests. */
    refuse: (status: number, name: string, times = 1) => {
      refusals = Array.from({ length: times }, () => refusal(status, name))
    },
    /** Revokes all tokens. */
    revoke: () => tokens.clear(),
    /** Removes the service account. */
    removeAccount: () => {
      hasAccount = false
    },
    /** From now on, accepts connections without responding. */
    hang: () => {
      hangs = true
    },
  }
}
