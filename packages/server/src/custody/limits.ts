import type { Limit } from '../http/rateLimit.ts'

/** What custody bounds, on one page. The forms of names, keys and addresses are in `schemas.ts`. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Bytes of a request's body. */
export const maxBodyBytes = 65_536
/** Requests from one client address. */
export const requestsPerIp: Limit = { limit: 1_200, windowMs: minuteMs }
/** Sign-in codes that one client address may try. */
export const codesPerIp: Limit = { limit: 60, windowMs: 10 * minuteMs }
/** Activities of one sub-organization, since each stays in its log. */
export const activitiesPerOrganization: Limit = { limit: 600, windowMs: minuteMs }
/** Wrong codes of one user over all mails, so that asking for new mails gains a guesser nothing. */
export const wrongCodesPerUser: Limit = { limit: 20, windowMs: dayMs }

/** How far `timestampMs` of an activity may lie from now, unless configured. */
export const defaultSkewMs = { past: hourMs, future: 5 * minuteMs }
/** How long an activity waits for votes. */
export const votingMs = dayMs
/** How long after a log-in a session counts as step-up. */
export const stepUpMs = 5 * minuteMs

/** Users that an organization can be created with. */
export const maxUsers = 10
/** API keys without an end that a user may hold (custody protocol § 2.7). */
export const maxLongLivedKeys = 10
/** Expiring API keys, which are sessions, that a user may hold (custody protocol § 2.7). */
export const maxExpiringKeys = 10
/** Passkeys that a user may hold (custody protocol § 2.7). */
export const maxPasskeys = 10
/** Life of a session key; `usual` unless the request names another. */
export const sessionSeconds = { usual: 900, min: 60, max: 86_400 }
/** How long ended session keys are kept: as long as something they asked for may wait for votes, and a day more. */
export const keptSessionMs = votingMs + dayMs

/** Life of a key that an import is sealed to. */
export const importTargetMs = hourMs
/** Such keys of each kind that a user may have: one for each open tab. */
export const maxImportTargets = 5

/** Unused sign-in mails that a user may have. */
export const maxOpenMails = 3
/** Life of a sign-in mail's code. */
export const codeMs = 10 * minuteMs
/** Attempts that one code allows. */
export const maxCodeAttempts = 5
/** How long the mail role tries to send a notice. */
export const noticeMs = dayMs

/** Rows of one page of a list. */
export const maxPageRows = 100
/** Number of structs in typed data times the length of its types: each struct is hashed with the text of its types. */
export const maxTypedDataWork = 1_000_000
