import type { KeyEncryption } from '../keys/keyEncryption.ts'
import type { Db } from '../platform/database/openStore.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { DoneEvent } from '../platform/observability/securityEvents.ts'
import type { TrustedProject, upsertProject } from '../store/upsertProject.ts'
import type { PasskeyOperator } from '../webauthn/findPasskeyOperator.ts'
import type { createKeySets } from './oidc/createKeySets.ts'

/** Dependencies and settings of custody. */
export type CustodyDeps = {
  db: Db
  logger: Logger
  /** UUID of the parent of every sub-organization. */
  rootOrganizationId: string
  /** P-256 key that may create sub-organizations and start e-mail authentication: compressed hex. */
  rootApiPublicKey: string
  /**
   * The only projects whose origins and links custody trusts; read at each request. The database already contains them.
   */
  projects?: readonly upsertProject.Parameters[] | undefined
  /**
   * Whether exports and changes of credentials and users need a step-up: one value for all root organizations, or one
   * per UUID.
   * @default 'required'
   */
  stepUp?: StepUp | Readonly<Record<string, StepUp>> | undefined
  /**
   * Configured operators, and the console's origin, to which their passkeys are bound. Read at each request. If
   * undefined, operators are disabled.
   */
  console?: { url: string; operators?: readonly PasskeyOperator[] | undefined } | undefined
  keyEncryption: KeyEncryption
  /** 32 bytes shared with the mail role only. */
  mailSealKey: Uint8Array
  /** P-256 private key that signs export bundles, 32 bytes. Exports are disabled if undefined. */
  bundleSigningKey?: Uint8Array | undefined
  /**
   * Number of trusted proxies that write `X-Forwarded-For` before this server.
   *
   * @default 0
   */
  trustedProxies?: number | undefined
  /** Page that confirmation e-mails link to, on the auth frame's origin. If undefined, nothing can be confirmed. */
  confirmationUrl?: string | undefined
  /**
   * Time between a deletion and the destruction of the keys, during which the organization can be restored.
   *
   * @default 7 days
   */
  deletionGraceMs?: number | undefined
  /**
   * Whether requests from this machine are exempt from per-IP limits; for development.
   * @default false
   */
  exemptLoopback?: boolean | undefined
  /**
   * Tolerance for `timestampMs` of an activity.
   *
   * @default one hour back, five minutes ahead
   */
  allowedSkewMs?: { past: number; future: number } | undefined
  /**
   * Milliseconds that a queued request waits before it is refused.
   * @default 10 seconds
   */
  turnWaitMs?: number | undefined
  /** Receives the functions that end custody's background work. If undefined, custody starts none. */
  onClose?: ((closer: () => Promise<void>) => void) | undefined
  /**
   * Milliseconds since the epoch.
   *
   * @default Date.now
   */
  now?: (() => number) | undefined
  /** Calls the given function when the time jumps, as in devnets; see `RoleClock`. */
  onJump?: ((run: () => void) => () => void) | undefined
}

export type StepUp = 'required' | 'off'

/** Dependencies of every call: {@link CustodyDeps}, completed at the start. */
export type CustodyContext = Omit<
  CustodyDeps,
  'allowedSkewMs' | 'deletionGraceMs' | 'now' | 'onClose' | 'projects' | 'stepUp' | 'turnWaitMs'
> & {
  deletionGraceMs: number
  allowedSkewMs: { past: number; future: number }
  now: () => number
  /** Key that authenticates the rows that custody trusts. */
  macKey: Uint8Array
  projects: readonly TrustedProject[]
  /** Keys of the projects' identity providers, by URL. */
  keySets: createKeySets.ReturnType
  isStepUpOff(rootOrgId: string): boolean
  /** Records a security event, which is logged after the transaction commits. */
  note(note: Note): void
  /** Counts a finished activity by its type, after the transaction commits. */
  countActivity(type: string): void
}

/** A completed event, described by ids only. */
export type Note = {
  event: DoneEvent
  organizationId: string
  userId?: string | undefined
  activityId?: string | undefined
  activityType?: string | undefined
  /** Account created by its parent. */
  created?: { organizationId: string; userIds: readonly string[] } | undefined
}
