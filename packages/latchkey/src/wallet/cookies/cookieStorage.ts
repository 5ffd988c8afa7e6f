import { BaseError } from '../../core/errors/BaseError.ts'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { sessionKey as toSessionKey } from '../../signer/session/createSessionStore.ts'
import type { Page } from '../../web/platform.ts'
import { webPage } from '../../web/webPage.ts'
import { writeCookie } from '../../web/writeCookie.ts'
import { toSignerStatus } from '../store/clientState.ts'
import { readPersisted, reviveTagged } from '../store/persistedState.ts'
import { toCookieText } from './cookieText.ts'

export declare namespace cookieStorage {
  type Parameters = {
    /**
     * Lifetime of the cookie if there is no stored session, in milliseconds.
     * @default 900_000
     */
    sessionLength?: number | undefined
    /**
     * `sessionKey` of the app's `sessionConfig`. The cookie expires with the session under this key.
     * @default 'alchemy-signer-session'
     */
    sessionKey?: string | undefined
  }
  type ReturnType = StoragePort & { readonly length: number; clear(): never; key(index: number): never }
}

const coreSuffix = ':core'

/**
 * Creates a `storage` for `createConfig` that lets a server render the visitor's state. The state is stored in the
 * page's local storage, and a cookie contains what a server needs: user, status, chain, and each account's version,
 * salt, owners and address. The page never reads the cookie, which other parties can write.
 *
 * @example
 * ```ts
 * import { cookieStorage, createConfig, latchkeyEndpoints } from 'latchkey'
 * import { chain } from './config.ts'
 *
 * const endpoints = latchkeyEndpoints('http://localhost:4101')
 * export const config = createConfig({ chain, apiKey: 'latchkey-dev', endpoints, ssr: true, storage: cookieStorage })
 * ```
 */
export function cookieStorage(parameters: cookieStorage.Parameters = {}): cookieStorage.ReturnType {
  const page = webPage()
  const kept = page?.storage('localStorage')
  const { sessionLength = 900_000, sessionKey } = parameters
  const sessionEnd = () => (page && storedEnd(page, toSessionKey({ sessionKey }))) ?? Date.now() + sessionLength
  const update = (key: string) => {
    if (kept) writeState(kept, key.endsWith(coreSuffix) ? key.slice(0, -coreSuffix.length) : key, sessionEnd)
  }
  return {
    length: 0,
    getItem: (key) => kept?.getItem(key) ?? null,
    setItem(key, value) {
      kept?.setItem(key, value)
      update(key)
    },
    removeItem(key) {
      kept?.removeItem(key)
      update(key)
    },
    clear() {
      throw unsupported(
        "clearing cookies is not supported as this could lead to unexpected behaviour.\n Use removeItem instead or you can manually clear cookies with document.cookie = ''",
      )
    },
    key() {
      throw unsupported('Function not implemented.')
    },
  }
}

/** Writes the cookie from the stored data of both stores. Writes only known fields, never a session. */
function writeState(storage: StoragePort, name: string, sessionEnd: () => number): void {
  const client = readPersisted(readStored(storage.getItem(name)))
  const chainId = Number((readStored(storage.getItem(name + coreSuffix)) as { chainId?: unknown } | undefined)?.chainId)
  const expiresAtMs = sessionEnd()
  const state = {
    ...(client ?? { signerStatus: toSignerStatus('DISCONNECTED'), accountConfigs: {} }),
    ...(chainId && { chainId }),
  }
  const value = client || chainId ? toCookieText(name, state, expiresAtMs) : ''
  writeCookie({ name, value, expiresAtMs })
}

/** Returns the expiration time of the stored session, in milliseconds. */
function storedEnd(page: Page, key: string): number | undefined {
  for (const kind of ['localStorage', 'sessionStorage'] as const) {
    const text = page.storage(kind).getItem(key)
    const { session } = (readStored(text) ?? {}) as { session?: { expirationDateMs?: unknown } | null }
    const end = session?.expirationDateMs
    if (typeof end === 'number' && end > Date.now()) return end
  }
  return undefined
}

function readStored(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null', reviveTagged)?.state
  } catch {
    return undefined
  }
}

function unsupported(message: string): BaseError {
  return new BaseError(message, { code: 'STORAGE_FAILED' })
}
