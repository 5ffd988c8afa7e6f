import type { Limit } from '../platform/limits/rateLimit.ts'

/** All limits of custody. The formats of names, keys and addresses are in `custodySchemas.ts`. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs

/** Maximum bytes of a request body. */
export const maxBodyBytes = 65_536
/** Requests from one client IP address. */
export const requestsPerIp: Limit = { limit: 1_200, windowMs: minuteMs }
/** Sign-in codes that one client IP address may try. */
export const codesPerIp: Limit = { limit: 60, windowMs: 10 * minuteMs }
/** Activities of one sub-organization, including signatures, since its log stores all of them. */
export const activitiesPerOrganization: Limit = { limit: 600, windowMs: minuteMs }

/** Default tolerance for `timestampMs` of an activity. */
export const defaultSkewMs = { past: hourMs, future: 5 * minuteMs }
/** Maximum age of `timestampMs` of a query. A passkey's prompt stays open for up to five minutes. */
export const boundQueryMs = 10 * minuteMs
/** Validity of the stamp of a query without a timestamp, from its first use. */
export const unboundQueryMs = 5 * minuteMs
/** Time that an activity waits for votes. */
export const votingMs = dayMs
/** Time during which a new session counts as step-up. */
export const stepUpMs = 5 * minuteMs

/** Lifetime of an e-mail's confirmation link. */
export const confirmationMs = 15 * minuteMs
/** Maximum number of e-mails for one confirmation, including resends. */
export const mailsPerConfirmation = 4
/** E-mails that ask the owner of an address to confirm it, across all accounts. */
export const proofsPerAddress: Limit = { limit: 6, windowMs: hourMs }
/** Confirmation e-mails that a user can cause. */
export const confirmationsPerUser: Limit = { limit: 20, windowMs: hourMs }
/** Lifetime of an address proof. */
export const addressProofMs = 10 * minuteMs
/** Retention of used codes and proofs of an address. Longer than their validity. */
export const usedCodeMs = dayMs
/** Retention of a recipient's address in the log entry of a code. */
export const keptContactMs = dayMs
/** Confirmation links that one client IP address may read or decide. */
export const confirmationReadsPerIp: Limit = { limit: 60, windowMs: 10 * minuteMs }
/** Window of spending limits. */
export const spendingWindowMs = dayMs
/** Minimum time since a passkey's own confirmation before it replaces the confirmation of other requests. */
export const provenPasskeyMs = dayMs
/** Time after proving a new address during which its user may add the first passkey without an e-mail. */
export const signUpMs = 15 * minuteMs
/** Time after an account's creation during which it may import another service's wallet as its first. */
export const moveInMs = hourMs
/** Retention of an expired link, which still shows its outcome. */
export const keptLinkMs = dayMs
/** Lifetime of a link that removes an added passkey. */
export const undoMs = 7 * dayMs
/** Default time between an organization's deletion and the destruction of its keys. */
export const deletionGraceMs = 7 * dayMs

/** Precision of a credential's last use, which is written at most once in this time. */
export const lastUseMs = hourMs
/** Users that an organization can be created with. */
export const maxUsers = 10
/** API keys without expiry that a user may have (custody protocol § 2.7). */
export const maxLongLivedKeys = 10
/** Expiring API keys (sessions) that a user may have (custody protocol § 2.7). */
export const maxExpiringKeys = 10
/** Passkeys that a user may have (custody protocol § 2.7). */
export const maxPasskeys = 10
export const maxOauthProviders = 10
/**
 * Wrong codes of a second factor, which its user may also try by recovery codes. Three codes of six digits are valid at
 * a time, so a guesser who has passed the first factor finds one in a day with a chance of 40 × 3 / 10⁶ = 1.2e-4.
 */
export const factorTries: readonly Limit[] = [
  { limit: 5, windowMs: 15 * minuteMs },
  { limit: 20, windowMs: dayMs },
]
/** Maximum difference between the time of a stamped word and its arrival. */
export const wordMs = 5 * minuteMs
/** Time in which the token of an identity provider starts one session of a user with a second factor. */
export const spentTokenMs = 7 * dayMs
/** Recovery codes of a second factor. */
export const recoveryCodes = 10
/** Lifetime of a session key; `usual` is the default. */
export const sessionSeconds = { usual: 900, min: 60, max: 86_400 }
/**
 * Lifetime of a read-only session. Anyone with its token can read, so the session is short and never outlives the key
 * that created it.
 */
export const readOnlySessionMs = 15 * minuteMs
/** Default lifetime of an unopened sign-in link. */
export const defaultLinkSeconds = 900
/** Retention of expired session keys: one day longer than their requests may wait for votes. */
export const keptSessionMs = votingMs + dayMs

/** Lifetime of a key to which an import is sealed. */
export const importTargetMs = hourMs
/** Import keys of each kind that a user may have: one per open tab. */
export const maxImportTargets = 5

/**
 * Unused sign-in e-mails that a user may have from one requester. A further e-mail replaces the requester's oldest one.
 */
export const maxOpenMails = 3
/**
 * Unused sign-in e-mails that a user may have from all requesters. More than the signer API sends to an address in a
 * day.
 */
export const maxOpenMailsPerUser = 256
/** Lifetime of a sign-in e-mail's code. */
export const codeMs = 10 * minuteMs
/** Attempts allowed for one code. */
export const maxCodeAttempts = 5
/**
 * Digits of a code: `usual` by default, `six` in projects whose pages accept no other length, `long` once a budget is
 * used up.
 */
export const codeDigits = { usual: 9, six: 6, long: 15 }

/**
 * Budgets of unused e-mailed codes. Each code counts as `maxCodeAttempts` wrong guesses as soon as it is mailed, so many
 * concurrent mails do not help a guesser. Using a code, or the link in its mail, refunds it. The requester's own budget
 * is charged first, so one requester cannot use up the budget of a user or a project. A code over a budget is long.
 *
 * A guesser's maximum chance (a budget is full once and refills once in its window):
 *
 * | digits | one user, a year           | all users of a parent, a day    |
 * |--------|----------------------------|---------------------------------|
 * | 9      | 2 × 50 × 5 / 10⁹ = 5e-7    | 2 × 5,000 × 5 / 10⁹ = 5e-5      |
 * | 6      | 2 × 10 × 5 / 10⁶ = 1e-4    | 2 × 100 × 5 / 10⁶ = 1e-3        |
 * | 15     | 5e-15 a mail               | 5e-15 a mail                    |
 */
export const unusedCodes = {
  ofAsker: { limit: 100, windowMs: dayMs },
  ofAskerForUser: { limit: 10, windowMs: 30 * dayMs },
  ofUser: { usual: { limit: 50, windowMs: yearMs }, six: { limit: 10, windowMs: yearMs } },
  ofParent: { usual: { limit: 5_000, windowMs: dayMs }, six: { limit: 100, windowMs: dayMs } },
} satisfies Record<string, Limit | Record<'usual' | 'six', Limit>>
/** Time during which the mail role retries a notice. */
export const noticeMs = dayMs

/** Rows of one page of a list. */
export const maxPageRows = 100
/** Number of characters above which a payload counts as large and its hashing is queued. */
export const largePayloadLength = 4_096

/** Maximum number of wallets in an organization. */
export const maxWallets = 100
/** Maximum number of accounts in all of an organization's wallets. */
export const maxAccounts = 1_000
/** Maximum number of private keys in an organization outside its wallets. */
export const maxPrivateKeys = 100
/** Maximum rows of a list for which the protocol defines no pages. */
export const maxListedRows = 1_000

/** Queries of one sub-organization. */
export const queriesPerOrganization: Limit = { limit: 1_200, windowMs: minuteMs }
/** Maximum milliseconds that a request is queued. */
export const turnWaitMs = 10_000
/**
 * Maximum number of requests that use one of the ten database connections, per project (`perGroup`) and per
 * organization (`perMember`). A parent organization acts for all its users, so it has the project's share.
 */
export const workShares = { total: 6, perGroup: 4, perMember: 2, waiting: { perMember: 64 } }
/** Maximum number of concurrent signatures. They share two connections: one for look-ups and one for writes. */
export const signingShares = { total: 64, perGroup: 48, perMember: 8, waiting: { perMember: 256 } }
/** Maximum number of large payloads hashed concurrently. */
export const hashingShares = { total: 1, perGroup: 1, perMember: 1, waiting: { perMember: 64 } }
