import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import { deviceKeyStore } from './deviceKeyStore.ts'
import { openFrame } from './frameHost.ts'
import { readLink } from './location.ts'
import { createPasskey } from './passkey/createPasskey.ts'
import { forgetPasskey } from './passkey/forgetPasskey.ts'
import { hasConditional } from './passkey/hasConditional.ts'
import { stampWithPasskey } from './passkey/stampWithPasskey.ts'
import type { Platform } from './platform.ts'
import { onStorageChange } from './storage.ts'

/** The page this runs in; null where there is no document (a server, a worker). */
export function webPlatform(): Platform | null {
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
