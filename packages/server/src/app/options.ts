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

/** A part of the server. Any set of them runs in one process; every one is stateless beside PostgreSQL. */
export type Role = (typeof roles)[number]

/** A role with a database. */
export type StoreRole = Exclude<Role, 'frames' | 'console'>

/** Frames and console keep nothing. */
export function isStoreRole(role: Role): role is StoreRole {
  return role !== 'frames' && role !== 'console'
}

/** An application allowed to use the server. */
export type ProjectOptions = upsertProject.Parameters

/** Options of `createServer`. Keys are hex, with or without `0x`. */
export type ServerOptions = {
  roles: readonly Role[]
  /** `postgres://…`; the frames and the console need none. */
  databaseUrl?: string | undefined
  /**
   * For roles with a user of the database of their own, see `applyGrants`.
   *
   * @default databaseUrl
   */
  databaseUrls?: Partial<Readonly<Record<StoreRole, string>>> | undefined
  /**
   * Where PostgreSQL itself is (`host:port`), when the URLs lead to a pooler that hands out connections for one transaction
   * each, such as PgBouncer. What needs a session (the queue's worker, notifications, migrations) goes there, with users
   * and databases of the URLs.
   */
  databaseDirectHost?: string | undefined
  /**
   * Bring the schema up to date first, as the user of `databaseUrl`.
   *
   * @default false
   */
  migrate?: boolean | undefined
  /** UUID of the organization above all users' sub-organizations. */
  rootOrganizationId: string
  /** Created or replaced at start. Those left out stay as they are, but custody and the frames trust only these. */
  projects?: readonly ProjectOptions[] | undefined
  /** As browsers reach them. */
  urls: { custody: string; authFrame: string; exportFrame: string; importFrame: string }
  custody?: CustodyOptions | undefined
  signerApi?: SignerApiOptions | undefined
  mail?: MailOptions | undefined
  gateway?: GatewayOptions | undefined
  webhooks?: WebhooksOptions | undefined
  frames?: FramesOptions | undefined
  admin?: AdminOptions | undefined
  console?: ConsoleOptions | undefined
  /**
   * Issuers whose tokens (JWT) stand for a project, instead of its API key.
   *
   * @default none
   */
  jwt?: readonly JwtIssuer[] | undefined
  /**
   * How many proxies of yours stand before this server and write `X-Forwarded-For`. Without it that header is not
   * believed.
   *
   * @default 0
   */
  trustedProxies?: number | undefined
  /**
   * For development, where all come from one address: requests from this machine are not limited by it.
   *
   * @default false
   */
  exemptLoopback?: boolean | undefined
  /**
   * For devnets: the time is set ahead as `advanceClock` says, in every role. Never in production: an attacker who can write to
   * the database could make sessions and links end.
   *
   * @default false
   */
  devnetClock?: boolean | undefined
  /** @default JSON lines on standard output */
  logger?: Logger | undefined
}

export type CustodyOptions = {
  keyEncryption: KeyEncryptionOptions
  /** Those whose wrapped keys are still stored, while `latchkey-server rotate-keys` re-wraps them. */
  previousKeyEncryption?: readonly KeyEncryptionOptions[] | undefined
  /**
   * In development a file may hold the key-encryption key.
   *
   * @default 'production'
   */
  mode?: 'production' | 'development' | undefined
  /** Compressed P-256 point of the signer API's key. */
  rootApiPublicKey: string
  /** 32 bytes, shared with the mail role. */
  mailSealKey: string
  /** P-256 private key that signs export bundles. Without it the server exports no keys. */
  bundleSigningKey?: string | undefined
  /**
   * Whether export, and changes of credentials and users, ask for a passkey that verifies its user or a session younger
   * than five minutes; for all parent organizations, or by the UUID of each. `off` only for older clients that cannot.
   * @default 'required'
   */
  stepUp?: StepUp | Readonly<Record<string, StepUp>> | undefined
  /**
   * How long a deleted account keeps its keys and can be taken back.
   *
   * @default 7 days
   */
  deletionGraceMs?: number | undefined
  /** @default one hour back, five minutes ahead */
  allowedSkewMs?: { past: number; future: number } | undefined
}

export type SignerApiOptions = {
  /** As this role reaches custody: https, except on this machine. */
  custodyUrl: string
  /**
   * `off` lets the URLs of custody be http, on a network of your own.
   *
   * @default 'required'
   */
  custodyTls?: 'required' | 'off' | undefined
  /** P-256 key of the parent organization. */
  apiKey: { publicKey: string; privateKey: string }
  /** Limits that differ from the usual ones. */
  limits?: Partial<SignerApiLimits> | undefined
}

export type MailOptions = {
  smtpUrl: string
  from: string
  /** The same as `custody.mailSealKey`. */
  sealKey: string
  /** Own looks of mails, by the `templateId` that asks for them. */
  templates?: Readonly<Record<string, MailTemplate>> | undefined
}

export type WebhooksOptions = {
  /** Secrets of the projects' webhooks, by the names that the projects give them: `whsec_` and 24 to 64 bytes in base64. */
  secrets: Readonly<Record<string, string>>
  /**
   * In development webhooks may go to this machine, by http.
   *
   * @default 'production'
   */
  mode?: 'production' | 'development' | undefined
}

export type FramesOptions = {
  /**
   * Each page needs a server, and so an origin, of its own.
   *
   * @default 'auth'
   */
  page?: 'auth' | 'export' | 'import' | undefined
  /** Needed for the export and the import page: public half of `custody.bundleSigningKey`, uncompressed P-256 point. */
  bundleSigningPublicKey?: string | undefined
  /**
   * Folder of the built page.
   *
   * @default the one inside this package
   */
  pagesDir?: string | undefined
}

export type AdminOptions = {
  /** 32 bytes, under which keys of operators and their log are believed: not in the database, so that no writer of it makes an operator. */
  operatorKey: string
  /** Custody as this role reaches it, for what operators ask of it by passkey. @default nothing is asked of it */
  custodyUrl?: string | undefined
  /** Says what would be wrong with a change of the projects file. @default nothing is tried */
  tryProject?: ProjectChange | undefined
  /** Operators that need no row: for the devnet, and the first one. `secretHash`: SHA-256 of the key, in hex. */
  operators?: readonly ConfiguredOperator[] | undefined
  /** Limits that differ from the usual ones. */
  limits?: Partial<AdminLimits> | undefined
}

/** Of the console, and of what its operators may do: admin API and custody read `url` and `operators`, too. */
export type ConsoleOptions = {
  /** Its origin, as browsers reach it. Its host name is the relying party id of operators' passkeys. */
  url: string
  /** Who signs in. Custody believes these alone, and no row of the database. @default none */
  operators?: readonly PasskeyOperator[] | undefined
  /** The admin API as the console reaches it: https, except on this machine. Needed by the role `console`. */
  adminUrl?: string | undefined
}

/** A gas policy of one project, or of each configured one. */
export type PolicyOptions = Omit<upsertPolicy.Parameters, 'projectId'> & {
  /** @default each of `projects` */
  projectId?: string | undefined
}

export type GatewayOptions = {
  /** The chains served, each with its nodes, bundlers and paymasters. */
  chains: readonly ChainOptions[]
  /** Signs what the paymasters pay for. Plain text is for development only. */
  paymasterKey: ServiceKeyOptions
  /** @default 'production' */
  mode?: 'production' | 'development' | undefined
  /** Which operations are paid for. Created or replaced at start; without any nothing is. @default none */
  policies?: readonly PolicyOptions[] | undefined
  /**
   * 32 bytes, from which the secret of each policy's webhook is derived (`docs/operate/gateway.md`). Needed when a policy has
   * one.
   */
  webhookKey?: string | undefined
  /** How long the operation log is kept. @default events 7 days, operations 365 days after their end */
  retention?: OperationRetention | undefined
  /** Limits that differ from the usual ones. */
  limits?: Partial<GatewayLimits> | undefined
}
