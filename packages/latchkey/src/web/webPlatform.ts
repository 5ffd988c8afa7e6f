import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import { deviceKeyStore } from './deviceKeyStore.ts'
import { openFrame } from './openFrame.ts'
import { createPasskey, forgetPasskey } from './passkey/createPasskey.ts'
import { hasConditional, stampWithPasskey } from './passkey/stampWithPasskey.ts'
import type { Platform } from './platform.ts'
import { readLink } from './readLink.ts'

export declare namespace webPlatform {
  type ReturnType = Platform | null
}

/**
 * The page this runs in; null where there is no document (a server, a worker).
 *
 * @example
 * ```ts
 * import { createSigner, webPlatform } from 'latchkey/signer'
 *
 * const page = webPlatform()
 * // The signer of a page without device keys and passkeys.
 * const platform = page && { ...page, passkeys: undefined, deviceKeys: undefined }
 * const signer = platform && createSigner({ client: { connection: { apiKey: 'project-key' } }, platform })
 * ```
 */
export function webPlatform(): webPlatform.ReturnType {
  if (typeof window === 'undefined' || typeof document === 'undefined') return null
  return {
    readLink,
    // A function: merely naming the storage throws where the browser refuses it.
    storage: (kind) => fallbackStorage(() => window[kind]),
    onStorageChange,
    openFrame,
    passkeys: { create: createPasskey, stamp: stampWithPasskey, forget: forgetPasskey, hasConditional },
    deviceKeys: deviceKeyStore,
  }
}

/**
 * Calls the listener when another tab of this origin writes to the local storage, with the key written, or null
 * when everything was cleared. Returns an unsubscribe.
 */
function onStorageChange(listener: (key: string | null) => void): () => void {
  const onStorage = (event: StorageEvent) => listener(event.key)
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
