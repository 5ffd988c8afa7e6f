import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded, isSecureUrl } from '../platform/http/fetchBounded.ts'
import { createVaultSession, type VaultLogin } from './createVaultSession.ts'
import type { KeyEncryption } from './keyEncryption.ts'

export declare namespace vaultKeyEncryption {
  type Options = {
    /** For example, `https://vault.example:8200`. */
    url: string
    /** A token that may only `encrypt`, `decrypt` and read the key. It is not renewed; for renewal, use `login`. */
    token?: string | undefined
    /** A login that replaces `token`. Its role needs the same permissions. */
    login?: VaultLogin | undefined
    /** Name of a key of type `aes256-gcm96`. */
    key: string
    /** Mount path of the transit engine. @default 'transit' */
    mount?: string | undefined
    namespace?: string | undefined
    /** @default 5000 */
    timeoutMs?: number | undefined
  }
}

const what = 'Vault'
const form = /^vault:v(\d{1,9}):[A-Za-z0-9+/]+={0,2}$/

/**
 * Returns key encryption by the Transit engine of HashiCorp Vault (HTTP API `/v1/transit`). The key never leaves Vault,
 * and `aad` is sent as `associated_data`. Stores Vault's own text, `vault:v<version>:…`.
 *
 * @throws `CONFIG_INVALID` immediately for invalid options; from each call `KEY_SERVICE_FAILED` | `TIMEOUT` (504) |
 * `NETWORK_UNREACHABLE` (502)
 */
export function vaultKeyEncryption(options: vaultKeyEncryption.Options): KeyEncryption {
  const call = createCall(options)
  const key = encodeURIComponent(options.key)
  return {
    async wrap(dek, aad) {
      const data = await call('POST', `encrypt/${key}`, { plaintext: base64(dek), associated_data: base64(aad) })
      if (typeof data.ciphertext !== 'string' || !form.test(data.ciphertext)) throw unreadable()
      return new TextEncoder().encode(data.ciphertext)
    },
    async unwrap(wrapped, aad) {
      const ciphertext = new TextDecoder().decode(wrapped)
      const data = await call('POST', `decrypt/${key}`, { ciphertext, associated_data: base64(aad) })
      if (typeof data.plaintext !== 'string') throw unreadable()
      return new Uint8Array(Buffer.from(data.plaintext, 'base64'))
    },
    owns: (wrapped) => readVersion(wrapped) !== undefined,
    async isCurrent(wrapped) {
      const { latest_version: latest } = await call('GET', `keys/${key}`)
      if (typeof latest !== 'number') throw unreadable()
      return readVersion(wrapped) === latest
    },
  }
}

function createCall(options: vaultKeyEncryption.Options) {
  const { url, mount = 'transit', namespace, timeoutMs = 5_000 } = options
  if (!isSecureUrl(url)) throw misconfigured('the URL of Vault, by https: token and keys go there')
  const root = url.replace(/\/+$/, '')
  const base = `${root}/v1/${mount.split('/').map(encodeURIComponent).join('/')}`
  const headers = { ...(namespace && { 'x-vault-namespace': namespace }) }
  const session = openSession(options, { url: root, headers, timeoutMs })
  async function send(token: string, method: string, path: string, body?: object): Promise<fetchBounded.ReturnType> {
    return fetchBounded(`${base}/${path}`, {
      what,
      timeoutMs,
      maxBytes: 65_536,
      method,
      headers: { ...headers, 'x-vault-token': token },
      ...(body && { body: JSON.stringify(body) }),
    })
  }
  return async (method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>> => {
    const token = await session.readToken()
    let response = await send(token, method, path, body)
    if (response.status === 403 && options.login) {
      // The token was revoked early, or is unknown to a restored Vault.
      session.forget(token)
      response = await send(await session.readToken(), method, path, body)
    }
    if (response.status !== 200) throw refused(response.status)
    const { data } = readObject(response.body)
    if (typeof data !== 'object' || data === null) throw unreadable()
    return data as Record<string, unknown>
  }
}

function openSession(
  { token, login }: vaultKeyEncryption.Options,
  parts: Omit<createVaultSession.Parameters, 'login'>,
): createVaultSession.ReturnType {
  if (login && token !== undefined) throw misconfigured('either a token or a login, not both')
  if (login) return createVaultSession({ ...parts, login })
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) throw misconfigured('a token for Vault')
  return { readToken: async () => token, forget: () => undefined }
}

/** Does not use `parseJson`, whose error would blame the caller for Vault's unreadable response. */
function readObject(body: Uint8Array): { data?: unknown } {
  try {
    return (JSON.parse(new TextDecoder().decode(body)) ?? {}) as { data?: unknown }
  } catch {
    throw unreadable()
  }
}

function readVersion(wrapped: Uint8Array): number | undefined {
  const version = form.exec(Buffer.from(wrapped).toString('latin1'))?.[1]
  return version === undefined ? undefined : Number(version)
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** The body of a refusal is not forwarded: it may quote the request. */
function refused(status: number): ServerError {
  const reason =
    status === 403
      ? 'its token or policy does not allow this'
      : 'see its log; is the key there, and its version not too old?'
  return new ServerError(`Vault refused with status ${status}: ${reason}.`, { code: 'KEY_SERVICE_FAILED', status: 503 })
}

function unreadable(): ServerError {
  return new ServerError('Vault answered in another form than the Transit engine does. Check its URL and mount.', {
    code: 'KEY_SERVICE_FAILED',
    status: 503,
  })
}

function misconfigured(name: string): ServerError {
  return configInvalid(`Key encryption by Vault needs ${name}.`)
}
