import type { CustodyApi } from './custody/createCustodyApi.ts'
import type { CustodyClient } from './custody/createCustodyClient.ts'
import type { DeviceKeys } from './device/createDeviceKeys.ts'
import type { AuthFrame } from './frame/createAuthFrame.ts'
import type { ExportFrame } from './frame/createExportFrame.ts'
import type { ImportFrame } from './frame/createImportFrame.ts'
import type { AuthRequest, MachineEvent, MachineState } from './machine/types.ts'
import type { Passkeys } from './passkey/createPasskeys.ts'
import type { SessionScope } from './session/createSessionScope.ts'
import type { SessionStore } from './session/createSessionStore.ts'
import type { User } from './types.ts'

/** What the verbs of `actions/` and the jobs of `jobs/` work with. */
export type SignerContext = {
  client: CustodyClient
  /** The key-custody service itself, for what the signer service does not pass on. */
  custody: CustodyApi
  frame: AuthFrame
  exportFrame: ExportFrame
  importFrame: ImportFrame
  passkeys: Passkeys
  deviceKeys: DeviceKeys
  /** Whether a new session gets a key of this browser. */
  isDeviceSession: boolean
  scope: SessionScope
  store: SessionStore
  /** Parent organization, for people whose own is not known yet. */
  rootOrgId: () => Promise<string>
  /** Life of a session, in milliseconds. */
  sessionMs: number
  now: () => number
}

/** The machine at work: takes events, does the effects, tells the listeners. */
export type SignerRunner = {
  state(): MachineState
  dispatch(event: MachineEvent): void
  /** Starts a sign-in and waits for its end. */
  call(request: AuthRequest): Promise<User>
  /** Resolves when every effect begun so far is done. */
  settled(): Promise<void>
}
