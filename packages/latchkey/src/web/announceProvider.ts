import { BaseError } from '../core/errors/BaseError.ts'

/** Description of a wallet (EIP-6963 § Provider Info). */
export type ProviderInfo = {
  /** UUID v4 that stays the same until the page is unloaded. @default a new UUID */
  uuid?: string | undefined
  /** Name shown in lists of wallets. */
  name: string
  /** Image as a `data:` URI. */
  icon: `data:image/${string}`
  /** Reversed domain name, such as `com.example.wallet`. */
  rdns: string
}

export declare namespace announceProvider {
  type Parameters = {
    provider: { request(request: { method: string; params?: unknown }): Promise<unknown> }
    info: ProviderInfo
  }
  /** Ends the announcement. */
  type ReturnType = () => void
}

const requestEvent = 'eip6963:requestProvider'
const announceEvent = 'eip6963:announceProvider'

/**
 * Announces a wallet to other scripts of the page (EIP-6963), immediately and whenever a script requests it. Every
 * script of the page can use the provider, so create the provider with `confirm`: the user then approves each request.
 *
 * @throws `ARGUMENT_INVALID`, `CLIENT_ONLY`.
 *
 * @example
 * ```ts
 * import { announceProvider, getProvider } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const provider = getProvider({ type: 'LightAccount', confirm: ({ method }) => window.confirm(method) }, config)
 * const icon = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>'
 * const stop = announceProvider({ provider, info: { name: 'My wallet', icon, rdns: 'com.example.wallet' } })
 * ```
 */
export function announceProvider({ provider, info }: announceProvider.Parameters): announceProvider.ReturnType {
  if (typeof window === 'undefined') {
    throw new BaseError('announceProvider is only available on the client', { code: 'CLIENT_ONLY' })
  }
  requireInfo(info)
  const detail = Object.freeze({ info: Object.freeze({ ...info, uuid: info.uuid ?? crypto.randomUUID() }), provider })
  const announce = () => window.dispatchEvent(new CustomEvent(announceEvent, { detail }))
  window.addEventListener(requestEvent, announce)
  announce()
  return () => window.removeEventListener(requestEvent, announce)
}

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

function requireInfo({ uuid, name, icon, rdns }: ProviderInfo): void {
  const faults = [
    name.trim() === '' && '`name` must be the name of the wallet.',
    // A remote image could track the page's visitors or change later.
    !/^data:image\//i.test(icon) && '`icon` must be a data: URI of an image.',
    !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(rdns) && '`rdns` must be a reversed domain name, such as com.example.wallet.',
    uuid !== undefined && !uuidV4.test(uuid) && '`uuid` must be a UUID of version 4.',
  ].filter((fault) => typeof fault === 'string')
  if (faults.length > 0) {
    throw new BaseError('The wallet cannot be announced.', { code: 'ARGUMENT_INVALID', metaMessages: faults })
  }
}
