import type { KeyEncryption } from '../keys/keyEncryption.ts'
import type { Db } from '../platform/database/openStore.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { DoneEvent } from '../platform/observability/securityEvents.ts'
import type { TrustedProject, upsertProject } from '../store/upsertProject.ts'
import type { PasskeyOperator } from '../webauthn/findPasskeyOperator.ts'

/** What custody is started with. */
export type CustodyDeps = {
  db: Db
  logger: Logger
  /** Parent of every sub-organization, a UUID. */
  rootOrganizationId: string
  /** P-256 key that may create sub-organizations and start e-mail authentication: compressed hex. */
  rootApiPublicKey: string
  /** The only projects whose origins and links custody trusts. The store holds them already. */
  projects?: readonly upsertProject.Parameters[] | undefined
  /**
   * Whether export, and changes of credentials and users, need a step-up; for all root organizations, or by the UUID of
   * each.
   *
   * @default 'required'
   */
  stepUp?: StepUp | Readonly<Record<string, StepUp>> | undefined
  /** Operators of the configuration, and the origin that their passkeys sign for. Without it custody does nothing for any. */
  console?: { url: string; operators?: readonly PasskeyOperator[] | undefined } | undefined
  keyEncryption: KeyEncryption
  /** 32 bytes shared with the mail role only. */
  mailSealKey: Uint8Array
  /** P-256 private key that signs export bundles, 32 bytes. Without it nothing is exported. */
  bundleSigningKey?: Uint8Array | undefined
  /**
   * How many proxies of ours write `X-Forwarded-For` before this server.
   *
   * @default 0
   */
  trustedProxies?: number | undefined
  /** Page that the mails of confirmations lead to, on the auth frame's origin. Without it nothing can be confirmed. */
  confirmationUrl?: string | undefined
  /**
   * How long a deleted organization keeps its keys, and can be taken back.
   *
   * @default 7 days
   */
  deletionGraceMs?: number | undefined
  /**
   * For development: requests from this machine are not limited by address.
   *
   * @default false
   */
  exemptLoopback?: boolean | undefined
  /**
   * How far `timestampMs` of an activity may lie from now.
   *
   * @default one hour back, five minutes ahead
   */
  allowedSkewMs?: { past: number; future: number } | undefined
  /**
   * How long a request waits for its turn before it is refused.
   *
   * @default 10 seconds
   */
  turnWaitMs?: number | undefined
  /** Receives the functions that end custody's background work. Without it, custody starts none. */
  onClose?: ((closer: () => Promise<void>) => void) | undefined
  /**
   * Milliseconds since the epoch.
   *
   * @default Date.now
   */
  now?: (() => number) | undefined
  /** Calls what is given when the time jumps, as it does in devnets; see `RoleClock`. */
  onJump?: ((run: () => void) => () => void) | undefined
}

export type StepUp = 'required' | 'off'

/** {@link CustodyDeps} once started: what every call runs with. */
export type CustodyContext = Omit<
  CustodyDeps,
  'allowedSkewMs' | 'deletionGraceMs' | 'now' | 'onClose' | 'projects' | 'stepUp' | 'turnWaitMs'
> & {
  deletionGraceMs: number
  allowedSkewMs: { past: number; future: number }
  now: () => number
  /** Authenticates the rows that custody trusts. */
  macKey: Uint8Array
  projects: readonly TrustedProject[]
  isStepUpOff(rootOrgId: string): boolean
  /** Takes a security event down, which is logged when the transaction commits. */
  note(note: Note): void
  /** Counts an activity that is done, by its type, once the transaction commits. */
  countActivity(type: string): void
}

/** Something that was done, by ids only. */
export type Note = {
  event: DoneEvent
  organizationId: string
  userId?: string | undefined
  activityId?: string | undefined
  activityType?: string | undefined
  /** The account that was made, in a note of its parent. */
  created?: { organizationId: string; userIds: readonly string[] } | undefined
}
