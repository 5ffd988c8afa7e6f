import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { listen, readBody } from './signer/listen.ts'

export type TestVault = Awaited<ReturnType<typeof startTestVault>>

type Reply = { status: number; body: object }
const refusal = (status: number, error: string): Reply => ({ status, body: { errors: [error] } })

/** Implements the part of Vault's Transit engine that key encryption uses, with its checks. */
export async function startTestVault() {
  const token = `hvs.${randomBytes(12).toString('hex')}`
  const key = 'latchkey wallets'
  const versions = [randomBytes(32)]
  const requests: string[] = []
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

  function respond(request: IncomingMessage, body: string): Reply {
    if (request.headers['x-vault-token'] !== token) return refusal(403, 'permission denied')
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
    /** Adds a version of the key, which wraps from now on. */
    rotate: () => void versions.push(randomBytes(32)),
    /** Refuses older versions (`min_decryption_version`). */
    forgetBelow: (version: number) => {
      oldest = version
    },
    /** Accepts connections from now on without responding. */
    hang: () => {
      hangs = true
    },
    requests,
  }
}
