import type { AccountStatement, AccountStatementData, PublicConfig } from 'latchkey-protocol'
import type { StoragePort } from '../../../core/storage/StoragePort.ts'
import { AccountUnprovenError, EndpointsChangedError } from '../../errors/trustErrors.ts'
import type { Endpoints, PinnedServer } from '../../types.ts'

/** Verifies what a signer service reports about other services and accounts. */
export type Trust = {
  /** @throws `ENDPOINTS_CHANGED`. */
  checkConfig(config: PublicConfig): void
  /**
   * Checks custody's signature of the statement that a credential belongs to an account. `credential`: compressed
   * public key in hex, or base64url id of a passkey.
   *
   * @throws `ACCOUNT_UNPROVEN`.
   */
  checkAccount(account: Account, statement: unknown, credential: () => string): Promise<void>
}

type Account = { orgId: string; userId: string; address: string }

export declare namespace createTrust {
  type Parameters = {
    endpoints: Pick<Endpoints, 'signerApiUrl' | 'pinned'>
    /** Storage of the values of this browser's first visit. */
    storage: StoragePort
    key: string
  }
  type ReturnType = Trust
}

const urls = ['custodyUrl', 'authFrameUrl', 'exportFrameUrl', 'importFrameUrl'] as const

/**
 * Compares a signer service's responses with the app's pins. Where the app has no pin, compares them with the values of
 * this browser's first visit. Trusts a local signer service: its traffic cannot be intercepted, and a recreated devnet
 * has other keys.
 */
export function createTrust({ endpoints, storage, key }: createTrust.Parameters): createTrust.ReturnType {
  const { signerApiUrl, pinned = {} } = endpoints
  const isLocal = isLoopback(signerApiUrl)
  const met = () => (isLocal ? {} : readMet(storage.getItem(key), signerApiUrl))
  const remember = (more: PinnedServer) => {
    if (!isLocal) storage.setItem(key, JSON.stringify({ signerApiUrl, ...met(), ...more }))
  }
  return {
    checkConfig(config) {
      const before = met()
      const origins: PinnedServer = {}
      for (const name of urls) {
        const actual = new URL(config[name]).origin
        const expected = pinned[name] ?? before[name]
        if (expected !== undefined && toOrigin(expected) !== actual)
          throw new EndpointsChangedError({ name, expected, actual, isPinned: pinned[name] !== undefined })
        origins[name] = actual
      }
      if (urls.some((name) => before[name] !== origins[name])) remember(origins)
    },
    async checkAccount(account, statement, credential) {
      const expected = pinned.signingKey ?? met().signingKey
      if (statement === undefined && expected === undefined) return
      if (!isStatement(statement)) throw new AccountUnprovenError('Custody has not signed it.')
      if (expected !== undefined && statement.signingKey !== expected.toLowerCase())
        throw new AccountUnprovenError(
          'It is signed by a different key than before. If the server has a new one, pin it: `latchkeyEndpoints(url, { pinned: { signingKey } })`.',
        )
      if (!(await verify(statement))) throw new AccountUnprovenError('Its signature is wrong.')
      const said = JSON.parse(statement.data) as Partial<AccountStatementData>
      const isSame =
        said.statement === 'account' &&
        said.credential === credential() &&
        said.organizationId === account.orgId &&
        said.userId === account.userId &&
        said.address === account.address
      if (!isSame) throw new AccountUnprovenError('Custody names another user or address.')
      if (expected === undefined) remember({ signingKey: statement.signingKey })
    },
  }
}

function readMet(text: string | null, signerApiUrl: string): PinnedServer {
  try {
    const met = JSON.parse(text ?? '{}') as PinnedServer & { signerApiUrl?: unknown }
    return met.signerApiUrl === signerApiUrl ? met : {}
  } catch {
    return {}
  }
}

function toOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.|^\[::1\]$/.test(hostname)
}

function isStatement(value: unknown): value is AccountStatement {
  const { data, signature, signingKey } = (value ?? {}) as Partial<Record<keyof AccountStatement, unknown>>
  const isHex = (text: unknown, form: RegExp) => typeof text === 'string' && form.test(text)
  return typeof data === 'string' && isHex(signature, /^[0-9a-f]{128}$/) && isHex(signingKey, /^04[0-9a-f]{128}$/)
}

async function verify({ data, signature, signingKey }: AccountStatement): Promise<boolean> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  try {
    const key = await crypto.subtle.importKey('raw', fromHex(signingKey), algorithm, false, ['verify'])
    return await crypto.subtle.verify(algorithm, key, fromHex(signature), new TextEncoder().encode(data))
  } catch {
    return false
  }
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
