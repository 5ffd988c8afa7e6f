import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { listen, readBody } from './signer/listen.ts'

export type TestVault = Awaited<ReturnType<typeof startTestVault>>

type Reply = { status: number; body: object }
const refusal = (status: number, error: string): Reply => ({ status, body: { errors: [error] } })

/** Starts a server with the part of Vault's Transit engine that key encryption uses, including its checks. */
export async function startTestVault() {
  const token = `hvs.${randomBytes(12).toString('hex')}`
  const key = 'latchkey wallets'
  const versions = [randomBytes(32)]
  const requests: string[] = []
  const appRole = { roleId: randomBytes(8).toString('hex'), secretId: randomBytes(8).toString('hex') }
  const serviceAccount = { role: 'latchkey', jwt: randomBytes(16).toString('base64url') }
  const tokens = new Set<string>()
  const lease = { seconds: 3_600, isRenewable: true }
  let oldest = 1
  let hangs = false

  function encrypt({ plaintext, associated_data }: Record<string, string>): Reply {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', versions.at(-1) ?? '', nonce)
    cipher.setAAD(Buffer.from(associated_data ?? '', 'base64'))
    const box = Buffer.concat([nonce, cipher.update(plaintext ?? '', 'base64'), cipher.final(), cipher.getAuthTag()])
    return { status: 200, body: { data: { ciphertext: `vault:v${versions.length}:${box.toString('base64')}` } } }
  }

  function decrypt({ ciphertext = '', associated_data }: Record<string, string>): Reply {
    const [, version = '', text = ''] = /^vault:v(\d+):(.*)$/.exec(ciphertext) ?? []
    const secret = versions[Number(version) - 1]
    if (!secret) return refusal(400, 'invalid ciphertext: no prefix')
    if (Number(version) < oldest)
      return refusal(400, 'ciphertext or signature version is disallowed by policy (too old)')
    const box = Buffer.from(text, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', secret, box.subarray(0, 12))
      decipher.setAAD(Buffer.from(associated_data ?? '', 'base64'))
      decipher.setAuthTag(box.subarray(-16))
      const plaintext = Buffer.concat([decipher.update(box.subarray(12, -16)), decipher.final()])
      return { status: 200, body: { data: { plaintext: plaintext.toString('base64') } } }
    } catch {
      return refusal(400, 'cipher: message authentication failed')
    }
  }

  function toAuth(client_token: string): Reply {
    tokens.add(client_token)
    return {
      status: 200,
      body: { auth: { client_token, lease_duration: lease.seconds, renewable: lease.isRenewable } },
    }
  }

  function login(method: string, given: Record<string, string>): Reply {
    const isRight =
      method === 'approle'
        ? given.role_id === appRole.roleId && given.secret_id === appRole.secretId
        : given.role === serviceAccount.role && given.jwt === serviceAccount.jwt
    return isRight ? toAuth(`hvs.${randomBytes(12).toString('hex')}`) : refusal(400, 'invalid role or secret ID')
  }

  function respond(request: IncomingMessage, body: string): Reply {
    const [, method] = /^\/v1\/auth\/(approle|kubernetes)\/login$/.exec(request.url ?? '') ?? []
    if (method !== undefined) return login(method, JSON.parse(body))
    const own = String(request.headers['x-vault-token'])
    if (own !== token && !tokens.has(own)) return refusal(403, 'permission denied')
    if (request.url === '/v1/auth/token/renew-self')
      return lease.isRenewable ? toAuth(own) : refusal(400, 'lease is not renewable')
    const name = encodeURIComponent(key)
    const call = `${request.method} ${request.url}`
    if (call === `GET /v1/transit/keys/${name}`)
      return { status: 200, body: { data: { latest_version: versions.length, min_decryption_version: oldest } } }
    if (call === `POST /v1/transit/encrypt/${name}`) return encrypt(JSON.parse(body))
    if (call === `POST /v1/transit/decrypt/${name}`) return decrypt(JSON.parse(body))
    return refusal(404, 'no handler for route')
  }

  const { url, close } = await listen(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (hangs) return
    const { status, body } = respond(request, await readBody(request))
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }, '127.0.0.1')
  return {
    url,
    close,
    token,
    key,
    appRole,
    serviceAccount,
    /** Lifetime of tokens from logins and renewals. */
    lease,
    /** Revokes all tokens of logins. */
    revoke: () => tokens.clear(),
    /** Adds a version of the key, which encrypts from now on. */
    rotate: () => void versions.push(randomBytes(32)),
    /** Refuses versions below `version` (`min_decryption_version`). */
    forgetBelow: (version: number) => {
      oldest = version
    },
    /** From now on, accepts connections without responding. */
    hang: () => {
      hangs = true
    },
    requests,
  }
}
