import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { linkParameters } from 'latchkey-protocol'
import { z } from 'zod'
import type { MailPayload } from '../../../keys/mailSeal.ts'
import type { Db } from '../../../platform/database/openStore.ts'
import type { UserTable } from '../../../platform/database/organizationTables.ts'
import { ServerError } from '../../../platform/errors/ServerError.ts'
import { parseUrl } from '../../../platform/http/parseUrl.ts'
import { landingUrls, type Project } from '../../../store/projects.ts'
import type { TrustedProject } from '../../../store/upsertProject.ts'
import { addSealedSession } from '../../credentials/addSessionKey.ts'
import { addMailCode, revokeOldMails } from '../../credentials/mailCodes.ts'
import { custodyError } from '../../custodyError.ts'
import { codeDigits, defaultLinkSeconds } from '../../custodyLimits.ts'
import { emailSchema, nameSchema, secondsSchema, uncompressedKeySchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { enqueueMail, enqueueNotice } from '../../enqueueMail.ts'
import { countFactorTry, givenFactorsSchema, requireFactor } from '../../factors/requireFactor.ts'
import { isTrusted } from '../../macs.ts'
import type { Organization } from '../../organizations/organization.ts'
import { allowsParentCredentials, findOnlyProject, trustedProjects } from '../../organizations/trustedProjects.ts'
import { findSignInMethod } from '../../organizations/userEmail.ts'
import { assertParentOnChild } from '../../permissions.ts'

/** Words without dots, slashes or colons, so that mail clients do not turn them into links. */
const browserSchema = z.string().regex(/^[\p{L}\p{N} ()-]{1,60}$/u, 'must be words such as Chrome on macOS')

const templateVariablesSchema = z
  .string()
  .max(2048)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON text' })
      return z.NEVER
    }
  })
  // Variables for other templates are ignored.
  .pipe(z.object({ requestedFrom: browserSchema.optional(), requestedAt: z.iso.datetime().optional() }))

/** Appearance of the e-mail (custody protocol § 2.7, `email_auth`). */
const emailCustomizationSchema = z.strictObject({
  appName: nameSchema.max(64).optional(),
  logoUrl: z
    .url({ protocol: /^https$/, error: 'must be an https URL' })
    .max(1024)
    .optional(),
  magicLinkTemplate: z.string().max(4096).optional(),
  templateVariables: templateVariablesSchema.optional(),
  /** Name of a mail template; an unknown name falls back to the default. */
  templateId: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
})

const parametersSchema = z.strictObject({
  email: emailSchema,
  targetPublicKey: uncompressedKeySchema,
  apiKeyName: nameSchema.optional(),
  expirationSeconds: secondsSchema.optional(),
  emailCustomization: emailCustomizationSchema.optional(),
  invalidateExisting: z.boolean().optional(),
  sendFromEmailSenderName: nameSchema.max(64).optional(),
  replyToEmailAddress: emailSchema.optional(),
  /** Latchkey only: whether a user with a second factor gets a code, which asks for it later, instead of a link. */
  codeOnly: z.boolean().optional(),
  /** Latchkey only: the second factor, which a link needs before it is mailed. */
  multiFactors: givenFactorsSchema,
})

type Parameters = z.output<typeof parametersSchema>

/**
 * `email_auth`: creates a session key for the user with the e-mail address, and seals it to the frame's key (custody
 * protocol §§ 2.7, 4.3). Queues an e-mail with the sealed key and a code for `otp_auth`; the result contains neither. The
 * key is not mailed to a user with a second factor who has not given it.
 *
 * @throws `INVALID_EMAIL`, `MFA_INVALID`, `MFA_REQUIRED`, `REDIRECT_NOT_ALLOWED`.
 */
export const emailAuth = defineActivity({
  types: {
    ACTIVITY_TYPE_EMAIL_AUTH_V3: { intent: 'emailAuthIntentV3', result: 'emailAuthResult' },
    ACTIVITY_TYPE_EMAIL_AUTH_V2: { intent: 'emailAuthIntentV2', result: 'emailAuthResult' },
    ACTIVITY_TYPE_EMAIL_AUTH: { intent: 'emailAuthIntent', result: 'emailAuthResult' },
  },
  parameters: parametersSchema,
  authorize: assertParentOnChild,
  duringDeletion: true,
  duringFreeze: true,
  verify: (context, { parameters: { multiFactors: given } }) => countFactorTry(context, { given, proof: 'anyone' }),
  async execute(context, { db, activityId, asker, caller, organization, parameters }) {
    const { targetPublicKey, emailCustomization } = parameters
    const user = await findRecipient(context, db, { orgId: organization.id, email: parameters.email })
    await assertOnlySignInMethod(context, db, { user, rootOrgId: caller.rootOrgId })
    const identity = { userId: user.id, orgId: organization.id }
    const link = { template: emailCustomization?.magicLinkTemplate, rootOrgId: caller.orgId }
    const { template, project } = chooseSignInLink(context, link)
    const notice = readNotice(organization)
    if (notice) {
      await enqueueNotice(context, db, { ...notice, activityId, organizationId: organization.id, userId: user.id })
      const otpLength = codeDigits[project?.codes === 'six-digits' ? 'six' : 'usual']
      return { userId: user.id, apiKeyId: randomUUID(), otpId: randomUUID(), otpLength }
    }
    const isLinked = await mayMailLink(context, db, { ...identity, activityId, parameters })
    await revokeOldMails(context, db, { ...identity, asker, targetPublicKey })
    const { credentialBundle, ...session } = await addSealedSession(context, db, {
      ...identity,
      name: parameters.apiKeyName ?? `Email Auth - ${new Date(context.now()).toISOString()}`,
      targetPublicKey,
      type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
      expirationSeconds: parameters.expirationSeconds,
      invalidateExisting: parameters.invalidateExisting,
      isMailed: true,
    })
    const linkMs = (project?.linkSeconds ?? defaultLinkSeconds) * 1000
    const linkExpiresAt = new Date(Math.min(context.now() + linkMs, session.expiresAt.getTime()))
    const code = await addMailCode(context, db, {
      ...identity,
      ...session,
      linkExpiresAt,
      targetPublicKey,
      rootOrgId: caller.rootOrgId,
      asker,
      isSixDigits: project?.codes === 'six-digits',
    })
    await enqueueMail(context, db, {
      activityId,
      ...identity,
      credentialId: session.apiKeyId,
      expiresAt: linkExpiresAt,
      payload: {
        to: user.email,
        ...readBranding(parameters, project),
        content: {
          kind: 'sign-in',
          link: isLinked ? template?.replace('%s', () => credentialBundle) : undefined,
          code: code.code,
          expiresAtMs: linkExpiresAt.getTime(),
          codeExpiresAtMs: code.expiresAt.getTime(),
          ...emailCustomization?.templateVariables,
        },
      },
    })
    return { userId: user.id, apiKeyId: session.apiKeyId, otpId: code.otpId, otpLength: code.code.length }
  },
})

/**
 * Returns whether the e-mail may contain the session key: not if the user has a second factor that was not given.
 *
 * @throws `MFA_INVALID`; `MFA_REQUIRED` unless a code alone was asked for.
 */
async function mayMailLink(
  context: CustodyContext,
  db: Db,
  {
    parameters: { multiFactors: given, codeOnly },
    ...identity
  }: { orgId: string; userId: string; activityId: string; parameters: Parameters },
): Promise<boolean> {
  try {
    await requireFactor(context, db, { ...identity, given, proof: 'anyone' })
    return true
  } catch (error) {
    if (codeOnly && error instanceof ServerError && error.code === 'MFA_REQUIRED') return false
    throw error
  }
}

/**
 * Returns the notice to e-mail instead of a sign-in link if the organization is frozen or being deleted. The activity's
 * result has the usual members, so that it does not reveal this state to the caller.
 */
function readNotice({
  frozenAt,
  deletionDueAt,
}: Organization): Pick<enqueueNotice.Parameters, 'kind' | 'dueAt' | 'happenedAt'> | undefined {
  if (frozenAt) return { kind: 'account-frozen', happenedAt: frozenAt }
  return deletionDueAt ? { kind: 'deletion-planned', dueAt: deletionDueAt } : undefined
}

async function findRecipient(
  context: CustodyContext,
  db: Db,
  { orgId, email }: { orgId: string; email: string },
): Promise<Selectable<UserTable> & { email: string }> {
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    // Locked until the e-mail is queued. A concurrent address change waits, and then revokes this e-mail's key.
    .forUpdate()
    .executeTakeFirst()
  if (!user?.email || !isTrusted(context, 'users', user))
    throw custodyError(
      'INVALID_EMAIL',
      'No user of this organization has this email address. Use the address of a user.',
    )
  return { ...user, email: user.email }
}

/**
 * Checks that an organization with an unproven address has no other sign-in method. Otherwise the parent could add its
 * own key at sign-up and wait until the address's owner signs in and deposits funds. Once the address is proven, only
 * its user can add credentials.
 */
async function assertOnlySignInMethod(
  context: CustodyContext,
  db: Db,
  { user, rootOrgId }: { user: Selectable<UserTable>; rootOrgId: string },
): Promise<void> {
  if (user.email_verified_at !== null) return
  if (allowsParentCredentials(context, rootOrgId)) return
  const entrance = await findSignInMethod(context, db, user)
  if (!entrance) return
  throw custodyError(
    'FOREIGN_CREDENTIAL',
    `This address is not proven yet, and ${entrance} can use its account already. Remove that first, or sign up ` +
      'anew. A server that makes keys for its users sets "parentCredentials": "allowed" in the projects file of custody.',
  )
}

function readBranding(
  { emailCustomization, sendFromEmailSenderName, replyToEmailAddress }: Parameters,
  project: Project | undefined,
): Omit<MailPayload, 'to' | 'content'> {
  return {
    appName: emailCustomization?.appName ?? project?.name ?? 'your wallet',
    logoUrl: emailCustomization?.logoUrl ?? project?.logoUrl ?? undefined,
    templateId: emailCustomization?.templateId,
    senderName: sendFromEmailSenderName,
    replyTo: replyToEmailAddress,
  }
}

type Context = Pick<CustodyContext, 'projects' | 'rootOrganizationId'>

export declare namespace chooseSignInLink {
  type Parameters = {
    /** Requested URL, with `%s` in place of the bundle. */
    template: string | undefined
    /** Parent organization of the e-mail's recipient. */
    rootOrgId: string
  }
  type ReturnType = {
    /** URL with `%s` in place of the bundle; undefined for an e-mail that contains only a code. */
    template?: string | undefined
    /** Project of the app that requests the e-mail. */
    project?: TrustedProject | undefined
  }
}

/**
 * Returns the link of a sign-in e-mail: the requested one, or else a link to the parent's only project, or else none.
 * @throws `REDIRECT_NOT_ALLOWED`, `REQUEST_INVALID`.
 */
export function chooseSignInLink(
  context: Context,
  { template, rootOrgId }: chooseSignInLink.Parameters,
): chooseSignInLink.ReturnType {
  if (template !== undefined) return { template, project: findLinkProject(context, { template, rootOrgId }) }
  const project = findOnlyProject(context, rootOrgId)
  const landing = project && landingUrls(project)[0]
  if (landing === undefined) return { project }
  return { template: `${landing}${landing.includes('?') ? '&' : '?'}bundle=%s`, project }
}

/**
 * Returns the project whose registered redirect URL matches a link template: same origin and path, and every query
 * parameter of the registered URL. No other URL may receive a session key.
 */
function findLinkProject(
  context: Context,
  { template, rootOrgId }: { template: string; rootOrgId: string },
): TrustedProject {
  if (template.split('%s').length !== 2 || !/^[^?#]*\?[^#]*%s[^#]*$/.test(template))
    throw custodyError('REQUEST_INVALID', 'magicLinkTemplate must hold %s once, in its query, for the bundle.')
  const link = /[\s\p{Cc}\\]/u.test(template) ? undefined : parseUrl(template)
  const projects = link ? trustedProjects(context, rootOrgId) : []
  for (const project of projects) {
    const registered = landingUrls(project).find((url) => leadsTo(link, new URL(url)))
    if (!link || registered === undefined) continue
    assertParameters(project, link, new URL(registered))
    return project
  }
  throw custodyError(
    'REDIRECT_NOT_ALLOWED',
    'magicLinkTemplate does not lead to a redirect URL that is registered. Register it with the project first.',
  )
}

/** Query parameters that every link may have. */
const usualParameters: readonly string[] = [linkParameters.bundle, linkParameters.orgId, linkParameters.isSignup]

/**
 * Checks a link's query parameters, since the requester of an e-mail must not choose parameters that the page trusts.
 */
function assertParameters({ redirectParams, allowedOrigins }: TrustedProject, link: URL, registered: URL): void {
  for (const [name, value] of link.searchParams) {
    if (value === '%s' || usualParameters.includes(name) || registered.searchParams.getAll(name).includes(value))
      continue
    const shown = JSON.stringify(name.slice(0, 64))
    if (!redirectParams.includes('*') && !redirectParams.includes(name))
      throw custodyError(
        'REDIRECT_NOT_ALLOWED',
        `The link adds the query parameter ${shown}, which its project does not permit. Name it in the project's redirectParams.`,
      )
    if (leadsAway(value, link, allowedOrigins))
      throw custodyError(
        'REDIRECT_NOT_ALLOWED',
        `The query parameter ${shown} holds the address of another site. Send a path, or an address on an origin of the project.`,
      )
  }
}

/** Returns whether a page that opens the value as a URL would leave the project's origins or run a script. */
function leadsAway(value: string, link: URL, allowedOrigins: readonly string[]): boolean {
  // Parsed without a base first: `https:evil.example` is a path relative to a page, but a URL on its own.
  const { origin, protocol } = parseUrl(value) ?? parseUrl(value, link.origin) ?? link
  if (origin === link.origin || allowedOrigins.includes(origin)) return false
  // Treats other schemes as plain text with a colon, such as `state=a:b`.
  return /^(https?|wss?|ftp|file|blob|javascript|data|vbscript):$/.test(protocol)
}

function leadsTo(link: URL | undefined, registered: URL): boolean {
  if (!link || link.username || link.password) return false
  if (link.origin !== registered.origin || link.pathname !== registered.pathname) return false
  return [...registered.searchParams].every(([name, value]) => link.searchParams.getAll(name).includes(value))
}
