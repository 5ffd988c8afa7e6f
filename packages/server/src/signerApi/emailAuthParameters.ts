import { linkParameters } from 'latchkey-protocol'
import { describeBrowser } from '../platform/http/describeBrowser.ts'
import { landingUrls, type Project } from '../store/projects.ts'

export declare namespace emailAuthParameters {
  type Parameters = {
    user: { orgId: string; email: string; verified: boolean }
    project: Project
    /** Of the page that asks. */
    origin: string | undefined
    userAgent: string | undefined
    /** Milliseconds since the epoch. */
    now: number
    body: { targetPublicKey: string; expirationSeconds?: number | undefined; redirectParams?: string | undefined }
  }
}

/** Parameters of custody's `email_auth`: the session key's target and lifetime, and what the mail says. */
export function emailAuthParameters(parameters: emailAuthParameters.Parameters) {
  const { user, project, origin, userAgent, now, body } = parameters
  const redirectUrl = chooseRedirectUrl(project, origin)
  const requestedFrom = describeBrowser(userAgent)
  const { targetPublicKey, redirectParams, expirationSeconds } = body
  const extra = project.hidesAccounts ? byMail(redirectParams, user) : redirectParams
  return {
    email: user.email,
    targetPublicKey: targetPublicKey.toLowerCase(),
    ...(expirationSeconds && { expirationSeconds: String(Math.ceil(expirationSeconds)) }),
    emailCustomization: {
      appName: project.name.slice(0, 64),
      ...(project.logoUrl && { logoUrl: project.logoUrl }),
      ...(redirectUrl && {
        magicLinkTemplate: buildLinkTemplate({ redirectUrl, redirectParams: extra, orgId: user.orgId }),
      }),
      templateVariables: JSON.stringify({
        ...(requestedFrom && { requestedFrom }),
        requestedAt: new Date(now).toISOString(),
      }),
    },
  }
}

/**
 * Where a mail link leads: the registered redirect URL on the page's own origin, else the first; for a project without
 * one, the front page of the origin that asks, else of its first. Links never go anywhere else. Undefined for a project
 * without pages: its mails carry a code only.
 */
export function chooseRedirectUrl(
  project: Pick<Project, 'redirectUrls' | 'allowedOrigins'>,
  origin: string | undefined,
): string | undefined {
  const urls = landingUrls(project)
  return urls.find((url) => new URL(url).origin === origin) ?? urls[0]
}

export declare namespace buildLinkTemplate {
  type Parameters = {
    /** Registered URL, http(s), without fragment. */
    redirectUrl: string
    redirectParams?: string | undefined
    orgId: string
  }
}

/** The link of a mail with `%s` where custody puts the credential bundle: the registered URL, then parameters. */
export function buildLinkTemplate({ redirectUrl, redirectParams, orgId }: buildLinkTemplate.Parameters): string {
  const separator = redirectUrl.includes('?') ? (/[?&]$/.test(redirectUrl) ? '' : '&') : '?'
  const extra = filterRedirectParams(redirectParams ?? '').toString()
  const own = `${linkParameters.bundle}=%s&${linkParameters.orgId}=${encodeURIComponent(orgId)}`
  return `${redirectUrl}${separator}${extra ? `${extra}&` : ''}${own}`
}

/** Whether it is a sign-up is said by the mail, which only the owner of the address reads, not by who asks. */
function byMail(redirectParams: string | undefined, { verified }: { verified: boolean }): string {
  const parameters = new URLSearchParams(redirectParams)
  parameters.delete(linkParameters.isSignup)
  if (!verified) parameters.set(linkParameters.isSignup, 'true')
  return parameters.toString()
}

/** Names the server sets itself, or that could be taken for the target of the link. Compared without case. */
const reserved = new Set(['bundle', 'orgid', 'host'])

/**
 * Parameters that an application wants back with the link: without the reserved names, and encoded again, so that they
 * can end neither the query nor the host of the link.
 */
function filterRedirectParams(redirectParams: string): URLSearchParams {
  const kept = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(redirectParams))
    if (!reserved.has(name.trim().toLowerCase())) kept.append(name, value)
  return kept
}
