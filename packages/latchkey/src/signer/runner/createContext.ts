import type { StoragePort } from '../../core/storage/StoragePort.ts'
import type { Platform, ProviderPort, Succession, TabChannel } from '../../web/platform.ts'
import { alchemyEndpoints, keepConfig } from '../endpoints.ts'
import { signedOutError } from '../errors/authErrors.ts'
import { defaultSessionMs, type SessionStore, sessionKey } from '../session/createSessionStore.ts'
import type { SignerParameters, User } from '../types.ts'
import { createClock } from './api/createClock.ts'
import { type CustodyApi, createCustodyApi } from './api/createCustodyApi.ts'
import { createDeletions, type Deletions } from './api/createDeletions.ts'
import { type Confirmations, createPending } from './api/createPending.ts'
import { createSignerApi, offeredBody, type SignerApi } from './api/createSignerApi.ts'
import { type AuthFrame, createAuthFrame } from './frame/createAuthFrame.ts'
import { createVisibleFrame, type VisibleFrame } from './frame/createVisibleFrame.ts'
import { createDeviceKeys, type DeviceKeys } from './keys/createDeviceKeys.ts'
import { createPasskeys, type Passkeys } from './keys/createPasskeys.ts'
import { createTrust } from './trust/createTrust.ts'

/** Dependencies of a signer's actions and jobs. */
export type SignerContext = {
  signerApi: SignerApi
  /** Client of the key-custody service, for requests that do not go through the signer service. */
  custodyApi: CustodyApi
  confirmations: Confirmations
  deletions: Deletions
  /** Second factor that a sign-in waits for. */
  factor: FactorPort
  authFrame: AuthFrame
  exportFrame: VisibleFrame
  importFrame: VisibleFrame
  passkeys: Passkeys
  deviceKeys: DeviceKeys
  /** Whether new sessions get a device key. */
  isDeviceSession: boolean
  /** Opens a channel to signers of the same storage key in other tabs; null where unsupported. */
  openTabChannel: (onMessage: (message: unknown) => void) => TabChannel | null
  scope: SessionScope
  store: SessionStore
  /** Access to identity providers; undefined where they are unsupported. */
  providers: ProviderPort | undefined
  /** Storage of this tab for a sign-in that leaves the page. */
  away: { write(text: string): void; take(): string | null }
  /** Returns the parent organization, for users whose own organization is not yet known. */
  rootOrgId: () => Promise<string>
  /** Returns the request body that a passkey in a form field stamps. */
  offeredBody: () => Promise<string>
  /** Session lifetime, in milliseconds. */
  sessionMs: number
  now: () => number
}

export type FactorPort = {
  /** Tries a code. Undefined while no sign-in waits for one. */
  enter: ((given: { multiFactorId?: string; multiFactorCode: string }) => Promise<User>) | undefined
  /** Called when a sign-in begins and ends to wait for a code. */
  onAsked: (isAwaited: boolean) => void
}

/** Scope of work that must end with the session. */
export type SessionScope = {
  /** Aborts when the session in use ends. */
  signal(): AbortSignal
  /** Ends the scope. Called when the session in use has ended or was replaced. */
  end(): void
}

export declare namespace createContext {
  type Parameters = {
    parameters: SignerParameters
    platform: Platform
    store: SessionStore
    succession?: Succession | undefined
  }
  type ReturnType = SignerContext
}

/** Creates a signer's dependencies. Sends no requests, opens no frames and shows no prompts. */
export function createContext(given: createContext.Parameters): createContext.ReturnType {
  const { parameters, platform, store, succession } = given
  const { client, sessionConfig } = parameters
  const key = sessionKey(sessionConfig)
  const named = client.endpoints ?? alchemyEndpoints
  const trust = createTrust({ endpoints: named, storage: platform.storage('localStorage'), key: `${key}:server` })
  const endpoints = keepConfig({
    endpoints: named,
    trust,
    storage: platform.storage('sessionStorage'),
    key: `${key}:endpoints`,
  })
  const rootOrgId = async () => client.rootOrgId ?? (await endpoints.getConfig()).rootOrgId
  const clock = createClock()
  const confirmations: Confirmations = createPending()
  const custodyApi = createCustodyApi({ endpoints, clock, confirmations })
  const scope = createScope()
  return {
    signerApi: createSignerApi({ connection: client.connection, endpoints, clock, trust, custodyApi }),
    custodyApi,
    confirmations,
    deletions: createDeletions({ custodyApi }),
    factor: { enter: undefined, onAsked: () => undefined },
    authFrame: createAuthFrame({ platform, endpoints, iframeConfig: client.iframeConfig, succession }),
    exportFrame: createVisibleFrame({ platform, endpoints, kind: 'export' }),
    importFrame: createVisibleFrame({ platform, endpoints, kind: 'import' }),
    passkeys: createPasskeys({ platform, sessionSignal: scope.signal, rpId: client.rpId }),
    deviceKeys: createDeviceKeys({ platform }),
    isDeviceSession: sessionConfig?.sessionKind === 'device',
    openTabChannel: (onMessage) => platform.openTabChannel?.(`${key}:link`, onMessage) ?? null,
    scope,
    store,
    providers: platform.providers,
    away: createAway(platform.storage('sessionStorage'), `${key}:oauth`),
    rootOrgId,
    offeredBody: async () => offeredBody(await endpoints.getConfig(), await rootOrgId()),
    sessionMs: sessionConfig?.expirationTimeMs ?? defaultSessionMs,
    now: () => Date.now(),
  }
}

function createAway(storage: StoragePort, name: string): SignerContext['away'] {
  return {
    write: (text) => storage.setItem(name, text),
    take() {
      const text = storage.getItem(name)
      storage.removeItem(name)
      return text
    },
  }
}

function createScope(): SessionScope {
  let current = new AbortController()
  return {
    signal: () => current.signal,
    end() {
      current.abort(signedOutError())
      current = new AbortController()
    },
  }
}
