import { deviceKeyStore } from './deviceKeyStore.ts'
import { openFrame } from './openFrame.ts'
import { openProviderWindow } from './openProviderWindow.ts'
import { openTabChannel } from './openTabChannel.ts'
import { claimFrameKey, onReturn, releaseFrameKeys } from './pageState.ts'
import { createPasskey, forgetPasskey } from './passkey/createPasskey.ts'
import { hasConditional, hasImmediate, stampWithPasskey } from './passkey/stampWithPasskey.ts'
import type { Platform } from './platform.ts'
import { webPage } from './webPage.ts'

export declare namespace webPlatform {
  type ReturnType = Platform | null
}

/**
 * Returns the platform of this page; null without a document (a server, a worker).
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
  const page = webPage()
  if (!page) return null
  return {
    ...page,
    openFrame,
    claimFrameKey,
    releaseFrameKeys,
    openTabChannel,
    onReturn,
    passkeys: { create: createPasskey, stamp: stampWithPasskey, forget: forgetPasskey, hasConditional, hasImmediate },
    deviceKeys: deviceKeyStore,
    providers: {
      open: openProviderWindow,
      leave: (url) => window.location.assign(url),
      address: () => window.location.href,
    },
  }
}
