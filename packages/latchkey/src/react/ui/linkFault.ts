import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'

/**
 * Reason why a link fails. `elsewhere`: the key is in another browser, or was deleted. `gone`: the tab that requested
 * the e-mail is closed, and its key is lost. `spent`: the link was used or has expired.
 */
export type LinkFault = 'elsewhere' | 'gone' | 'spent'
/** `own`: this browser was waiting for an e-mail when the link was opened, so it may have requested the link. */
export type Link = 'own' | 'foreign'

export function isCode(cause: unknown, code: BaseError['code']): boolean {
  return cause instanceof BaseError && cause.code === code
}

/** Returns why a link is invalid; undefined if the failure has another reason, such as an outage. */
export function findLinkFault(cause: unknown, link: Link): LinkFault | undefined {
  // The link's bundle was decrypted, here or in the requesting tab, but the service refused the key inside.
  if (isRefusal(cause) || isCode(cause, 'LINK_EXPIRED')) return 'spent'
  if (isCode(cause, 'LINK_TAB_GONE')) return 'gone'
  if (link === 'own' || !(cause instanceof BaseError)) return undefined
  // The frame key for this link is in another browser, or was deleted.
  return linkErrors.has(cause.code) ? 'elsewhere' : undefined
}

const linkErrors: ReadonlySet<string> = new Set(['BUNDLE_INJECTION_FAILED', 'EMAIL_INIT_SESSION_MISSING'])

function isRefusal(cause: unknown): boolean {
  return cause instanceof HttpError && [401, 403, 404].includes(cause.status)
}
