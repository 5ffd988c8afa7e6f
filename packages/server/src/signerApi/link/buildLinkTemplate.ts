import { linkParameters } from 'latchkey/wire'
import { filterRedirectParams } from './filterRedirectParams.ts'

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
