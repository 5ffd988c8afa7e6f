import { configInvalid } from '../../platform/errors/ServerError.ts'
import { toProject } from '../../store/projects.ts'
import { type TrustedProject, toProjectRow, type upsertProject } from '../../store/upsertProject.ts'
import { defaultLinkSeconds, sessionSeconds } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'

type Context = Pick<CustodyContext, 'projects' | 'rootOrganizationId'>

/**
 * The projects of a configuration, checked and normalised.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readProjects(projects: readonly upsertProject.Parameters[] = []): TrustedProject[] {
  return projects.map((project) => ({
    ...toProject({ id: project.id, ...toProjectRow(project) }),
    codes: project.codes ?? 'nine-digits',
    parentCredentials: project.parentCredentials ?? 'refused',
    linkSeconds: readLinkSeconds(project),
    redirectParams: project.redirectParams ?? [],
    unboundQueries: project.unboundQueries ?? 'brief',
    confirmations: project.confirmations ?? 'mail',
    withoutAddress: project.withoutAddress ?? 'passkey',
    movesIn: project.movesIn ?? 'refused',
    signerCodes: project.signerCodes ?? 'refused',
    webhooks: project.webhooks ?? [],
  }))
}

function readLinkSeconds({ id, linkSeconds = defaultLinkSeconds }: upsertProject.Parameters): number {
  const { min, max } = sessionSeconds
  if (Number.isInteger(linkSeconds) && linkSeconds >= min && linkSeconds <= max) return linkSeconds
  throw configInvalid(`Project ${JSON.stringify(id)} is not valid: its linkSeconds must be between ${min} and ${max}.`)
}

/**
 * The projects of a parent organization, whose origins and links custody trusts. By configuration alone: writing to the
 * database can neither add one nor bring one back.
 */
export function trustedProjects({ projects, rootOrganizationId }: Context, rootOrgId: string): TrustedProject[] {
  return projects.filter(({ organizationId }) => (organizationId ?? rootOrganizationId) === rootOrgId)
}

/** The origins of {@link trustedProjects}. */
export function trustedOrigins(context: Context, rootOrgId: string): string[] {
  return trustedProjects(context, rootOrgId).flatMap(({ allowedOrigins }) => allowedOrigins)
}

/** The project of a parent organization that has only one, under whose name mails are sent. */
export function findOnlyProject(context: Context, rootOrgId: string): TrustedProject | undefined {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length === 1 ? projects[0] : undefined
}

/** Whether the users of a parent organization confirm by mail. A request does not prove its project: the strictest holds. */
export function isConfirmedByMail(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length === 0 || projects.some(({ confirmations }) => confirmations === 'mail')
}

/** Whether users of a parent organization need a proven address before they do what is to be confirmed. */
export function needsAddress(context: Context, rootOrgId: string): boolean {
  return trustedProjects(context, rootOrgId).some(({ withoutAddress }) => withoutAddress === 'address-first')
}

/** Whether users of a parent organization may bring the wallet of another service. A request does not prove its project: the strictest holds. */
export function mayMoveIn(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length > 0 && projects.every(({ movesIn }) => movesIn === 'allowed')
}

/** Whether codes may prove addresses though they pass through the signer API. A request does not prove its project: the strictest holds. */
export function takesCodes(context: Context, rootOrgId: string): boolean {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length > 0 && projects.every(({ signerCodes }) => signerCodes !== 'refused')
}

/** Whether no response to a user of a parent organization may show who else has an account. */
export function hidesAccounts(context: Context, rootOrgId: string): boolean {
  return trustedProjects(context, rootOrgId).some((project) => project.hidesAccounts)
}
