import { sql } from 'kysely'
import type { SigningRule, SpendingRules } from 'latchkey-protocol'
import { inTransaction } from '../platform/database/inTransaction.ts'
import type { Db } from '../platform/database/openStore.ts'
import { configInvalid, type ServerError } from '../platform/errors/ServerError.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import type { OidcProvider, TrustedOidcProvider } from './oidcProviders.ts'
import { hashApiKey, type Project } from './projects.ts'
import { checkEndpoints, type WebhookEndpoint } from './webhookEndpoints.ts'

/** Settings that custody reads only from the projects file: neither the database nor the signer API can change them. */
type CustodySettings = {
  /**
   * Length of codes in sign-in e-mails: `six-digits` for pages of published clients that accept no others, at the risk
   * that `custody/custodyLimits.ts` computes.
   *
   * @default 'nine-digits'
   */
  codes?: 'nine-digits' | 'six-digits' | undefined
  /**
   * Whether users may sign in by e-mail although the parent's key has added other people's keys to their organization,
   * as server SDKs do. Applies only if every project of the parent organization allows it.
   * @default 'refused'
   */
  parentCredentials?: 'refused' | 'allowed' | undefined
  /**
   * Lifetime of an unopened link, in seconds: 60 to 86400. Its session may last longer.
   *
   * @default 900
   */
  linkSeconds?: number | undefined
  /**
   * Query parameters that a page may add to a link, in addition to `aa-is-signup`; `*` for all.
   *
   * @default none
   */
  redirectParams?: readonly string[] | undefined
  /**
   * Time during which custody accepts a query stamp without a timestamp: five minutes from its first use, or forever,
   * for clients that always send the same stamp for a body. @default 'brief'
   */
  unboundQueries?: 'brief' | 'always' | undefined
  /**
   * Whether users confirm by e-mail any request that reveals a key, changes who may sign, or deletes something.
   * Disabled only if all projects of one parent organization disable it.
   *
   * @default 'mail'
   */
  confirmations?: 'mail' | 'none' | undefined
  /**
   * Requirement for users without a proven address: they confirm by a passkey with user verification, or must first add
   * an address. @default 'passkey'
   */
  withoutAddress?: 'passkey' | 'address-first' | undefined
  /**
   * Whether users of another service may move their wallet. In the first hour of an account that has signed nothing, an
   * imported wallet may then replace the first wallet (see docs/design/export-and-import.md).
   * @default 'refused'
   */
  movesIn?: 'refused' | 'allowed' | undefined
  /**
   * Page or frame that shows an exported secret. `confirmation`: the page on which the user confirms the export.
   * `frame`: the export frame in the app, whose key a script in the app's page can replace; published clients support
   * only this. The frame is used only if all projects of one parent organization select it, or without `confirmations`.
   * @default 'confirmation'
   */
  exportsTo?: 'confirmation' | 'frame' | undefined
  /**
   * Page or frame in which a user enters a secret to import. `confirmation`: the page on which the user confirms the
   * import. `frame`: the import frame in the app, without a confirmation; published clients support only this. The frame
   * is used only if all projects of one parent organization select it, or without `confirmations`.
   * @default 'confirmation'
   */
  importsTo?: 'confirmation' | 'frame' | undefined
}

type CustodyRules = {
  /** Signing rules. @default digests are denied; changes of who may act for an account are reviewed */
  signing?: SigningSettings | undefined
}

/** Rules for signing for the project's users. `deny` takes precedence over `review`, and `review` over allowing. */
export type SigningSettings = {
  /**
   * Whether custody signs payloads that it cannot read: digests, and data in a non-canonical form. Published clients
   * sign every operation as a digest. Blind signing is allowed only if all projects of one parent organization allow
   * it.
   *
   * @default 'deny'
   */
  blind?: 'deny' | 'allow' | undefined
  /**
   * Acts that custody never signs.
   *
   * @default none
   */
  deny?: readonly SigningRule[] | undefined
  /**
   * Acts that a user confirms by email, on a page outside the app.
   *
   * @default changes of owners, code, modules and session keys, delegations, deferred actions, unlimited approvals
   */
  review?: readonly SigningRule[] | undefined
  /**
   * Spending limits per user above which custody asks for confirmation. Users may set their own limits, too; both
   * apply.
   *
   * @default none
   */
  spending?: SpendingRules | undefined
}

/** Settings that the frames read only from the projects file. */
type FrameSettings = {
  /**
   * Whether the export frame's origin also serves the page `/export-and-sign` for the project, which signs with an
   * exported key.
   *
   * @default 'off'
   */
  frameSigning?: 'off' | 'on' | undefined
}

/** Settings that only the projects file can change, for the signer API and for custody's codes of addresses. */
type SignerSettings = {
  /**
   * Whether e-mailed codes may also pass through the signer API (`/v1/otp`, and for new addresses `/v1/init-otp` and
   * `/v1/verify-otp`), as published clients require. docs/design/email-sign-in.md describes the risk. `preferred`: the
   * published dialog asks for the code first. The dialog accepts six digits, so `codes` must be `six-digits`.
   *
   * @default 'refused'
   */
  signerCodes?: 'refused' | 'allowed' | 'preferred' | undefined
}

type ProviderSettings = {
  /**
   * OpenID Connect providers by which users sign in. Custody accepts their tokens for all projects of the parent
   * organization.
   *
   * @default none
   */
  oidcProviders?: readonly OidcProvider[] | undefined
}

/** A project of the configuration, with settings only for custody. */
export type TrustedProject = Project & {
  /** Key of the project's pages. */
  apiKey: string
} & {
  [setting in keyof CustodySettings]-?: NonNullable<CustodySettings[setting]>
} & {
  webhooks: readonly WebhookEndpoint[]
  oidcProviders: readonly TrustedOidcProvider[]
  signerCodes: NonNullable<SignerSettings['signerCodes']>
  signing: { [setting in Exclude<keyof SigningSettings, 'spending'>]-?: NonNullable<SigningSettings[setting]> } & {
    spending: readonly SpendingRules[]
  }
}

export declare namespace upsertProject {
  type Parameters = {
    id: string
    name: string
    /** At least 8 characters; stored as a digest. */
    apiKey: string
    /** Allowed targets of e-mail links. */
    redirectUrls: string[]
    /** Origins of its pages. */
    allowedOrigins: string[]
    /**
     * Parent organization of its users, a UUID.
     *
     * @default the server's `rootOrganizationId`
     */
    organizationId?: string | undefined
    /** https; shown in e-mails. */
    logoUrl?: string | undefined
    /**
     * Whether look-up and sign-up hide from callers which addresses have an account.
     *
     * @default false
     */
    hidesAccounts?: boolean | undefined
    /** The `rpId` that the project's pages set, which `latchkey-server doctor` checks. @default each page's host */
    rpId?: string | undefined
    /**
     * Endpoints for events of the project, sent by the role `webhooks`.
     *
     * @default none
     */
    webhooks?: readonly WebhookEndpoint[] | undefined
  } & CustodySettings &
    CustodyRules &
    FrameSettings &
    SignerSettings &
    ProviderSettings
}

/**
 * Creates or replaces projects, all or none.
 *
 * @throws `CONFIG_INVALID`.
 */
export async function upsertProjects(db: Db, projects: readonly upsertProject.Parameters[]): Promise<void> {
  if (projects.length === 0) return
  await inTransaction(db, async (trx) => {
    for (const project of projects) await upsertProject(trx, project)
  })
}

/**
 * Creates or replaces a project. Origins and redirect URLs are normalized by the URL standard; a redirect URL must be
 * http(s) without user, password or fragment.
 *
 * @throws `CONFIG_INVALID`.
 */
export async function upsertProject(db: Db, project: upsertProject.Parameters): Promise<void> {
  const values = toProjectRow(project)
  // Serializes writes, since roles that start concurrently write the same projects, and `on conflict` covers only one
  // unique index.
  await inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = '30s'`.execute(trx)
    await sql`select pg_advisory_xact_lock(hashtext('latchkey.projects'))`.execute(trx)
    await trx
      .insertInto('projects')
      .values({ id: project.id, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...values, updated_at: sql<Date>`latchkey_now()` }))
      .execute()
  })
}

/**
 * Returns the columns of a configured project, checked and normalized.
 *
 * @throws `CONFIG_INVALID`.
 */
export function toProjectRow(project: upsertProject.Parameters) {
  if (project.apiKey.length < 8) throw invalid(project.id, 'its API key is shorter than 8 characters')
  if (project.signerCodes === 'preferred' && project.codes !== 'six-digits')
    throw invalid(project.id, 'its signerCodes is preferred, which needs codes to be six-digits')
  checkEndpoints(project)
  return {
    name: project.name,
    api_key_hash: hashApiKey(project.apiKey),
    redirect_urls: project.redirectUrls.map((url) => normalizeRedirect(project.id, url)),
    allowed_origins: project.allowedOrigins.map((origin) => normalizeOrigin(project.id, origin)),
    organization_id: checkOrganizationId(project.id, project.organizationId),
    logo_url: normalizeLogo(project.id, project.logoUrl),
    hides_accounts: project.hidesAccounts ?? false,
  }
}

function normalizeRedirect(id: string, text: string): string {
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash)
    throw invalid(id, `the redirect URL ${JSON.stringify(text)} must be http(s) without user, password or fragment`)
  return url.href
}

/**
 * Letters, digits, dots and hyphens, or an IPv6 address. `URL` also accepts `*` and `;`, which have a meaning in a CSP.
 */
const plainHost = /^(?:[a-z\d._-]+|\[[a-f\d:.]+\])$/

function normalizeOrigin(id: string, text: string): string {
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol) || !plainHost.test(url.hostname))
    throw invalid(id, `${JSON.stringify(text)} is not an origin such as https://app.example; wildcards are not allowed`)
  return url.origin
}

function checkOrganizationId(id: string, text: string | undefined): string | null {
  if (text === undefined) return null
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  throw invalid(id, 'its organizationId is not a UUID')
}

function normalizeLogo(id: string, text: string | undefined): string | null {
  if (text === undefined) return null
  const url = parseUrl(text)
  if (url?.protocol !== 'https:' || url.username || url.password) throw invalid(id, 'its logoUrl is not an https URL')
  return url.href
}

function invalid(id: string, why: string): ServerError {
  return configInvalid(`Project ${JSON.stringify(id)} is not valid: ${why}.`)
}
