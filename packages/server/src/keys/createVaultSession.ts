import { readFileSync } from 'node:fs'
import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded } from '../platform/http/fetchBounded.ts'

/** Login to Vault whose token is renewed while the server runs. */
export type VaultLogin =
  | {
      method: 'approle'
      roleId: string
      secretId: string
      /** Mount path of the method. @default 'approle' */
      mount?: string | undefined
    }
  | {
      method: 'kubernetes'
      role: string
      /** File with the service account's token, read at each login. @default the path where Kubernetes mounts it */
      jwtPath?: string | undefined
      /** Mount path of the method. @default 'kubernetes' */
      mount?: string | undefined
    }

export declare namespace createVaultSession {
  type Parameters = {
    /** Vault's URL without path. */
    url: string
    login: VaultLogin
    /** Headers of each request, such as the namespace. */
    headers: Readonly<Record<string, string>>
    timeoutMs: number
    /** Milliseconds of a monotonic clock. @default performance.now */
    now?: (() => number) | undefined
  }
  type ReturnType = {
    /** Returns a valid token, logging in or renewing it if necessary. */
    readToken(): Promise<string>
    /** Forgets a token that Vault refused, so that the next call logs in. */
    forget(token: string): void
  }
}

type Lease = { token: string; seconds: number; isRenewable: boolean; renewAt: number; endsAt: number }

const kubernetesToken = '/var/run/secrets/kubernetes.io/serviceaccount/token'

/**
 * Creates a Vault session from a login. Renews the token after two thirds of its lifetime. Logs in again if Vault no
 * longer renews the token, or renews it for less than half of that lifetime. While the token is still valid, a failed
 * renewal or login is retried at the next call.
 */
export function createVaultSession(parameters: createVaultSession.Parameters): createVaultSession.ReturnType {
  const { login, now = () => performance.now() } = parameters
  let lease: Lease | undefined
  let changing: Promise<Lease> | undefined

  function toLease(auth: Auth): Lease {
    const { client_token: token, lease_duration: seconds, renewable: isRenewable } = auth
    // Zero means that the token does not expire.
    const ms = seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1_000
    return { token, seconds, isRenewable, renewAt: now() + (ms * 2) / 3, endsAt: now() + ms }
  }

  async function change(): Promise<Lease> {
    const renewed = lease?.isRenewable && now() < lease.endsAt ? await renew(lease) : undefined
    return (
      renewed ?? toLease(await send(parameters, { path: `${login.mount ?? login.method}/login`, body: toBody(login) }))
    )
  }

  async function renew({ token, seconds }: Lease): Promise<Lease | undefined> {
    const auth = await send(parameters, { path: 'token/renew-self', body: {}, token }).catch(() => undefined)
    return auth && auth.lease_duration >= seconds / 2 ? { ...toLease(auth), seconds } : undefined
  }

  return {
    async readToken() {
      if (lease && now() < lease.renewAt) return lease.token
      changing ??= change().finally(() => {
        changing = undefined
      })
      try {
        lease = await changing
      } catch (error) {
        if (!lease || now() >= lease.endsAt) throw error
      }
      return lease.token
    },
    forget(token) {
      if (lease?.token === token) lease = undefined
    },
  }
}

function toBody(login: VaultLogin): Record<string, string> {
  if (login.method === 'approle') return { role_id: login.roleId, secret_id: login.secretId }
  const path = login.jwtPath ?? kubernetesToken
  try {
    return { role: login.role, jwt: readFileSync(path, 'utf8').trim() }
  } catch (cause) {
    throw configInvalid(
      `The service account's token ${path} cannot be read. Mount it (automountServiceAccountToken), or name it in LATCHKEY_VAULT_JWT_PATH.`,
      cause,
    )
  }
}

type Auth = { client_token: string; lease_duration: number; renewable: boolean }
type Call = { path: string; body: object; token?: string }

async function send(parameters: createVaultSession.Parameters, { path, body, token }: Call): Promise<Auth> {
  const { url, headers, timeoutMs } = parameters
  const response = await fetchBounded(`${url}/v1/auth/${path.split('/').map(encodeURIComponent).join('/')}`, {
    what: 'Vault',
    timeoutMs,
    maxBytes: 65_536,
    method: 'POST',
    headers: { ...headers, ...(token !== undefined && { 'x-vault-token': token }) },
    body: JSON.stringify(body),
  })
  if (response.status !== 200)
    throw failed(
      `Vault refused the login with status ${response.status}. Check LATCHKEY_VAULT_AUTH, its mount and its role, and that the role's secret or token is still valid.`,
    )
  const auth = readAuth(response.body)
  if (!auth)
    throw failed('Vault answered a login in another form than its API does. Check its URL and the mount of the login.')
  return auth
}

function readAuth(body: Uint8Array): Auth | undefined {
  try {
    const { auth } = (JSON.parse(new TextDecoder().decode(body)) ?? {}) as { auth?: Partial<Auth> | null }
    const { client_token, lease_duration, renewable = false } = auth ?? {}
    if (typeof client_token !== 'string' || !/^[\x21-\x7e]+$/.test(client_token)) return undefined
    return typeof lease_duration === 'number' && lease_duration >= 0
      ? { client_token, lease_duration, renewable }
      : undefined
  } catch {
    return undefined
  }
}

/** The body of a refusal is not forwarded: it may quote the request. */
function failed(message: string): ServerError {
  return new ServerError(message, { code: 'KEY_SERVICE_FAILED', status: 503 })
}
