import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import type { Platform } from '../web/platform.ts'
import { createClock } from './custody/createClock.ts'
import { createCustodyApi } from './custody/createCustodyApi.ts'
import { createCustodyClient } from './custody/createCustodyClient.ts'
import { createDeviceKeys } from './device/createDeviceKeys.ts'
import { alchemyEndpoints } from './endpoints/alchemyEndpoints.ts'
import { keepConfig } from './endpoints/keepConfig.ts'
import { createAuthFrame } from './frame/createAuthFrame.ts'
import { createExportFrame } from './frame/createExportFrame.ts'
import { createImportFrame } from './frame/createImportFrame.ts'
import { createPasskeys } from './passkey/createPasskeys.ts'
import type { SignerContext } from './SignerContext.ts'
import { createSessionScope } from './session/createSessionScope.ts'
import { createSessionStore } from './session/createSessionStore.ts'
import type { SignerParameters } from './types.ts'

export declare namespace createContext {
  type Parameters = {
    parameters: SignerParameters
    platform: Platform
    /** Storage key of the session. */
    key: string
  }
  type ReturnType = SignerContext
}

const defaultSessionMs = 900_000

/** What a signer works with, of what it was given. */
export function createContext({ parameters, platform, key }: createContext.Parameters): createContext.ReturnType {
  const { client, sessionConfig } = parameters
  const endpoints = keepConfig({
    endpoints: client.endpoints ?? alchemyEndpoints,
    storage: platform.storage('sessionStorage'),
    key: `${key}:endpoints`,
  })
  const storage = sessionConfig?.storage ?? 'localStorage'
  const clock = createClock()
  const scope = createSessionScope()
  return {
    client: createCustodyClient({ connection: client.connection, endpoints, clock }),
    custody: createCustodyApi({ endpoints, clock }),
    frame: createAuthFrame({ platform, endpoints, iframeConfig: client.iframeConfig }),
    exportFrame: createExportFrame({ platform, endpoints }),
    importFrame: createImportFrame({ platform, endpoints }),
    passkeys: createPasskeys({ platform, scope, rpId: client.rpId }),
    deviceKeys: createDeviceKeys({ platform }),
    isDeviceSession: sessionConfig?.sessionKind === 'device',
    scope,
    store: createSessionStore({
      key,
      storage: typeof storage === 'string' ? platform.storage(storage) : fallbackStorage(storage),
      temporaryStorage: platform.storage('localStorage'),
    }),
    rootOrgId: async () => client.rootOrgId ?? (await endpoints.getConfig()).rootOrgId,
    sessionMs: sessionConfig?.expirationTimeMs ?? defaultSessionMs,
    now: () => Date.now(),
  }
}
