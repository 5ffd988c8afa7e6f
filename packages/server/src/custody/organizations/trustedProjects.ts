import type { SigningRule } from 'latchkey-protocol'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { readOidcProviders } from '../../store/oidcProviders.ts'
import { toProject } from '../../store/projects.ts'
import {
  type SigningSettings,
  type TrustedProject,
  toProjectRow,
  type upsertProject,
} from '../../store/upsertProject.ts'
import { defaultLinkSeconds, sessionSeconds } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'

type Context = Pick<CustodyContext, 'projects' | 'rootOrganizationId'>

/**
 * Returns a configuration's projects, checked and normalized.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readProjects(projects: readonly upsertProject.Parameters[] = []): TrustedProject[] {
  return projects.map((project) => ({
    ...toProject({ id: project.id, ...toProjectRow(project) }),
    apiKey: project.apiKey,
    codes: project.codes ?? 'nine-digits',
    parentCredentials: project.parentCredentials ?? 'refused',
    linkSeconds: readLinkSeconds(project),
    redirectParams: project.redirectParams ?? [],
    unboundQueries: project.unboundQueries ?? 'brief',
    confirmations: project.confirmations ?? 'mail',
    withoutAddress: project.withoutAddress ?? 'passkey',
    movesIn: project.movesIn ?? 'refused',
    exportsTo: project.exportsTo ?? 'confirmation',
    importsTo: project.importsTo ?? 'confirmation',
    signerCodes: project.signerCodes ?? 'refused',
    oidcProviders: readOidcProviders(project.id, project.oidcProviders),
    webhooks: project.webhooks ?? [],
    signing: readSigning(project.signing),
  }))
}

/**
 * Acts that new projects review by default: changes of an account's code or of who may act for it, and acts without a
 * limit.
 */
export const reviewedByDefault: readonly SigningRule[] = [
  'owner-change',
  'upgrade',
  'module-change',
  'session-key',
  'deferred-action',
  'delegation',
  'unlimited-approval',
]

function readSigning({ blind = 'deny', deny = [], review = reviewedByDefault, spending }: SigningSettings = {}) {
  return { blind, deny, review, spending: spending ? [spending] : [] }
}

function readLinkSeconds({ id, linkSeconds = defaultLinkSeconds }: upsertProject.Parameters): number {
  const { min, max } = sessionSeconds
  if (Number.isInteger(linkSeconds) && linkSeconds >= min && linkSeconds <= max) return linkSeconds
  throw configInvalid(`Project ${JSON.stringify(id)} is not valid: its linkSeconds must be between ${min} and ${max}.`)
}

/**
 * Returns the projects of a parent organization, whose origins and links custody trusts. Reads only the configuration,
 * so database writes can neither add nor restore a project.
 */
export function trustedProjects({ projects, rootOrganizationId }: Context, rootOrgId: string): TrustedProject[] {
  return projects.filter(({ organizationId }) => (organizationId ?? rootOrganizationId) === rootOrgId)
}

export function trustedOrigins(context: Context, rootOrgId: string): string[] {
  return trustedProjects(context, rootOrgId).flatMap(({ allowedOrigins }) => allowedOrigins)
}

/** Returns the only project of a parent organization, under whose name e-mails are sent. */
export function findOnlyProject(context: Context, rootOrgId: string): TrustedProject | undefined {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length === 1 ? projects[0] : undefined
}

/**
 * Returns whether a parent's users confirm by e-mail. A request does not prove its project, so the strictest setting
 * applies.
 */
export function isConfirmedByMail(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length === 0 || projects.some(({ confirmations }) => confirmations === 'mail')
}

/** Returns whether users of a parent organization need a proven address before confirmable actions. */
export function needsAddress(context: Context, rootOrgId: string): boolean {
  return trustedProjects(context, rootOrgId).some(({ withoutAddress }) => withoutAddress === 'address-first')
}

/**
 * Returns whether a parent's users may import another service's wallet. A request does not prove its project, so the
 * strictest setting applies.
 */
export function mayMoveIn(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length > 0 && projects.every(({ movesIn }) => movesIn === 'allowed')
}

/**
 * Returns whether the export frame in an app may show the secrets of a parent's users. A request does not prove its
 * project, so the strictest setting applies.
 */
export function exportsToFrame(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length > 0 && projects.every(({ exportsTo }) => exportsTo === 'frame')
}

/**
 * Returns whether the import frame in an app may take the secrets of a parent's users. A request does not prove its
 * project, so the strictest setting applies.
 */
export function importsToFrame(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length > 0 && projects.every(({ importsTo }) => importsTo === 'frame')
}

/**
 * Returns whether codes may prove addresses although they pass through the signer API. A request does not prove its
 * project, so the strictest setting applies.
 */
export function takesCodes(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length > 0 && projects.every(({ signerCodes }) => signerCodes !== 'refused')
}

/**
 * Returns whether the parent's key may add others' credentials. A request does not prove its project, so the strictest
 * setting applies.
 */
export function allowsParentCredentials(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length > 0 && projects.every(({ parentCredentials }) => parentCredentials === 'allowed')
}

/** Returns whether responses to a parent's users must hide which accounts exist. */
export function hidesAccounts(context: Context, rootOrgId: string): boolean {
  return trustedProjects(context, rootOrgId).some((project) => project.hidesAccounts)
}

/**
 * Returns the signing rules for a parent's users. A request does not prove its project, so the strictest setting
 * applies.
 */
export function readSigningRules(context: Context, rootOrgId: string): TrustedProject['signing'] {
  const projects = trustedProjects(context, rootOrgId)
  if (projects.length === 0) return readSigning()
  return {
    blind: projects.every(({ signing }) => signing.blind === 'allow') ? 'allow' : 'deny',
    deny: [...new Set(projects.flatMap(({ signing }) => signing.deny))],
    review: [...new Set(projects.flatMap(({ signing }) => signing.review))],
    spending: projects.flatMap(({ signing }) => signing.spending),
  }
}
