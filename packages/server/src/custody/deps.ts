import type { Logger } from '../http/logger.ts'
import type { KeyEncryption } from '../keys/keyEncryption.ts'
import type { Db } from '../store/openStore.ts'

/** What custody is given from outside. */
export type CustodyDeps = {
  db: Db
  logger: Logger
  /** Parent of every sub-organization, a UUID. */
  rootOrganizationId: string
  /** P-256 key that may create sub-organizations and start e-mail authentication: compressed hex. */
  rootApiPublicKey: string
  keyEncryption: KeyEncryption
  /** 32 bytes shared with the mail role only. */
  mailSealKey: Uint8Array
  /** P-256 private key that signs export bundles, 32 bytes. Without it nothing is exported. */
  bundleSigningKey?: Uint8Array | undefined
  /** How far `timestampMs` of an activity may be from now. @default one hour back, five minutes ahead */
  allowedSkewMs?: { past: number; future: number } | undefined
  /** Milliseconds since the epoch. @default Date.now */
  now?: (() => number) | undefined
}

/** {@link CustodyDeps} once started. */
export type CustodyContext = Omit<CustodyDeps, 'allowedSkewMs' | 'now'> & {
  allowedSkewMs: { past: number; future: number }
  now: () => number
  /** Authenticates rows of `credentials`. */
  macKey: Uint8Array
}
