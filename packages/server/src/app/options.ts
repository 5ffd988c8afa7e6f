import type { AdminLimits } from '../admin/adminLimits.ts'
import type { ProjectChange } from '../admin/defineRoute.ts'
import type { StepUp } from '../custody/deps.ts'
import type { ChainOptions } from '../gateway/chains/ChainOptions.ts'
import type { GatewayLimits } from '../gateway/gatewayLimits.ts'
import type { KeyEncryptionOptions } from '../keys/openKeyEncryption.ts'
import type { ServiceKeyOptions } from '../keys/openServiceSigner.ts'
import type { MailTemplate } from '../mail/templates/template.ts'
import type { JwtIssuer } from '../platform/http/createJwtVerifier.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { SignerApiLimits } from '../signerApi/signerApiLimits.ts'
import type { upsertPolicy } from '../store/ledger/policies.ts'
import type { ConfiguredOperator } from '../store/operators.ts'
import type { OperationRetention } from '../store/sweepOperations.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import type { PasskeyOperator } from '../webauthn/findPasskeyOperator.ts'

export const roles = ['custody', 'signer-api', 'mail', 'gateway', 'webhooks', 'frames', 'admin', 'console'] as const

/** A part of the server. One process can run any set of roles; each role keeps its state only in PostgreSQL. */
export type Role = (typeof roles)[number]

/** A role that uses a database. */
export type StoreRole = Exclude<Role, 'frames' | 'console'>

/** Frames and console have no database. */
export function isStoreRole(role: Role): role is StoreRole {
  return role !== 'frames' && role !== 'console'
}

/** An application allowed to use the server. */
export type ProjectOptions = upsertProject.Parameters

/** Options of `createServer`. Keys are hex, with or without `0x`. */
export type ServerOptions = {
  roles: readonly Role[]
  /** `postgres://…`. Not needed by the frames and the console. */
  databaseUrl?: string | undefined
  /**
   * URLs of roles that have their own database user (see `applyGrants`).
   * @default databaseUrl
   */
  databaseUrls?: Partial<Readonly<Record<StoreRole, string>>> | undefined
  /**
   * Address of PostgreSQL itself (`host:port`), if the URLs point to a transaction pooler such as PgBouncer. Queue
   * workers, notifications and migrations need a session, so they connect to this address, with the users and databases
   * from the URLs.
   */
  databaseDirectHost?: string | undefined
  /**
   * Whether to migrate the schema first, as the user of `databaseUrl`.
   *
   * @default false
   */
  migrate?: boolean | undefined
  /** UUID of the parent organization of all users' sub-organizations. */
  rootOrganizationId: string
  /**
   * Projects created or replaced at start and by `reload`. Omitted projects stay in the database, but every role with this
   * list serves only the projects in it.
   */
  projects?: readonly ProjectOptions[] | undefined
  /** Public URLs, as browsers reach them. */
  urls: {
    custody: string
    authFrame: string
    exportFrame: string
    importFrame: string
    /**
     * Gateway that the confirmation page asks for the predicted effect of an operation under review.
     *
     * @default the page shows no prediction
     */
    gateway?: string | undefined
  }
  custody?: CustodyOptions | undefined
  signerApi?: SignerApiOptions | undefined
  mail?: MailOptions | undefined
  gateway?: GatewayOptions | undefined
  webhooks?: WebhooksOptions | undefined
  frames?: FramesOptions | undefined
  admin?: AdminOptions | undefined
  console?: ConsoleOptions | undefined
  /**
   * Issuers whose tokens (JWT) authenticate a project, instead of its API key.
   *
   * @default none
   */
  jwt?: readonly JwtIssuer[] | undefined
  /**
   * Number of your proxies that write `X-Forwarded-For`. If it is 0, the header is ignored.
   *
   * @default 0
   */
  trustedProxies?: number | undefined
  /**
   * Whether requests from this machine are exempt from per-IP limits. For development, where all requests share one IP
   * address. @default false
   */
  exemptLoopback?: boolean | undefined
  /**
   * Whether every role follows the clock set by `advanceClock`. Only for devnets: in production, an attacker with write
   * access to the database could expire sessions and links.
   * @default false
   */
  devnetClock?: boolean | undefined
  /** @default JSON lines on standard output */
  logger?: Logger | undefined
}

export type CustodyOptions = {
  keyEncryption: KeyEncryptionOptions
  /** Previous key encryptions, needed until `latchkey-server rotate-keys` has re-wrapped the keys stored under them. */
  previousKeyEncryption?: readonly KeyEncryptionOptions[] | undefined
  /**
   * In `development`, the key-encryption key may be in a file.
   * @default 'production'
   */
  mode?: 'production' | 'development' | undefined
  /** Compressed P-256 point of the signer API's key. */
  rootApiPublicKey: string
  /** 32 bytes that custody shares with the mail role. */
  mailSealKey: string
  /** P-256 private key that signs export bundles. Without it, the server exports no keys. */
  bundleSigningKey?: string | undefined
  /**
   * Whether exports and changes of credentials or users require a passkey with user verification, or a session younger
   * than five minutes. A single value applies to all parent organizations; a record sets one per parent organization
   * UUID. Use `off` only for older clients without either.
   *
   * @default 'required'
   */
  stepUp?: StepUp | Readonly<Record<string, StepUp>> | undefined
  /**
   * Milliseconds for which a deleted account can be restored and its keys are not destroyed.
   *
   * @default 7 days
   */
  deletionGraceMs?: number | undefined
  /** @default one hour back, five minutes ahead */
  allowedSkewMs?: { past: number; future: number } | undefined
}

export type SignerApiOptions = {
  /** Custody URL as reachable from this role: https, except on this machine. */
  custodyUrl: string
  /** Whether URLs of custody must use https. `off` allows http within a private network. @default 'required' */
  custodyTls?: 'required' | 'off' | undefined
  /** P-256 key of the parent organization. */
  apiKey: { publicKey: string; privateKey: string }
  /**
   * Number of the key that signs access tokens. Raise it by 1 to rotate the key.
   * @default 1
   */
  accessTokenKey?: number | undefined
  /** Overrides of the default limits. */
  limits?: Partial<SignerApiLimits> | undefined
}

export type MailOptions = {
  smtpUrl: string
  from: string
  /** Same value as `custody.mailSealKey`. */
  sealKey: string
  /** Custom mail templates, by `templateId`. */
  templates?: Readonly<Record<string, MailTemplate>> | undefined
}

export type WebhooksOptions = {
  /**
   * Webhook secrets by the name that a project's webhook refers to. Each is `whsec_` followed by 24 to 64 bytes in
   * base64.
   */
  secrets: Readonly<Record<string, string>>
  /**
   * In `development`, webhooks may go to this machine over http.
   *
   * @default 'production'
   */
  mode?: 'production' | 'development' | undefined
}

export type FramesOptions = {
  /**
   * Page that this server serves. Each page needs its own server, and thus its own origin.
   * @default 'auth'
   */
  page?: 'auth' | 'export' | 'import' | undefined
  /**
   * Public half of `custody.bundleSigningKey`, as an uncompressed P-256 point. Required for the export and import
   * pages, and for the confirmation page on the auth page's origin.
   */
  bundleSigningPublicKey?: string | undefined
  /**
   * Folder of the built page.
   *
   * @default the folder in this package
   */
  pagesDir?: string | undefined
}

export type AdminOptions = {
  /**
   * 32 bytes that authenticate operators' keys and the log. Stored outside the database, so that database access is not
   * enough to create an operator.
   */
  operatorKey: string
  /**
   * Custody's URL as reachable from this role, which forwards passkey-stamped operator requests to custody. @default
   * forwarding is refused
   */
  custodyUrl?: string | undefined
  /** Chains that operators can read, such as the owners of an account. @default the gateway's on the same server */
  chains?: readonly ChainOptions[] | undefined
  /** Tests a change of the projects file and returns its problems. @default changes are not tested */
  tryProject?: ProjectChange | undefined
  /**
   * Operators without a database row: the devnet's operators and the first operator of a server. `secretHash`: SHA-256
   * of the key, in hex.
   */
  operators?: readonly ConfiguredOperator[] | undefined
  /** Overrides of the default limits. */
  limits?: Partial<AdminLimits> | undefined
}

/** Options of the console and its operators. The admin API and custody also read `url` and `operators`. */
export type ConsoleOptions = {
  /** Origin of the console for browsers. The host name is the relying party id of operators' passkeys. */
  url: string
  /** Passkey operators. Custody trusts only these operators, not rows of the database. @default none */
  operators?: readonly PasskeyOperator[] | undefined
  /** Admin API URL as reachable from the console: https, except on this machine. Required by the role `console`. */
  adminUrl?: string | undefined
}

/** A gas policy of one project, or of every configured project. */
export type PolicyOptions = Omit<upsertPolicy.Parameters, 'projectId'> & {
  /** @default every project in `projects` */
  projectId?: string | undefined
}

export type GatewayOptions = {
  /** The chains served, each with its nodes, bundlers and paymasters. */
  chains: readonly ChainOptions[]
  /** Key that signs for the paymasters. Plain text is for development only. */
  paymasterKey: ServiceKeyOptions
  /** @default 'production' */
  mode?: 'production' | 'development' | undefined
  /**
   * Policies that decide which operations are sponsored, created or replaced at start. Without a policy nothing is
   * sponsored.
   *
   * @default none
   */
  policies?: readonly PolicyOptions[] | undefined
  /**
   * 32 bytes from which each policy's webhook secret is derived (`docs/operate/gateway.md`). Required if a policy has a
   * webhook.
   */
  webhookKey?: string | undefined
  /** Retention of the operation log. @default events 7 days, operations 365 days after their end */
  retention?: OperationRetention | undefined
  /** Overrides of the default limits. */
  limits?: Partial<GatewayLimits> | undefined
}
