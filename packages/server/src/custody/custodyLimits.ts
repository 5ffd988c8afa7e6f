import type { Limit } from '../platform/limits/rateLimit.ts'

/** What custody bounds, on one page. The forms of names, keys and addresses are in `schemas.ts`. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs

/** Bytes of a request's body. */
export const maxBodyBytes = 65_536
/** Requests from one client address. */
export const requestsPerIp: Limit = { limit: 1_200, windowMs: minuteMs }
/** Sign-in codes that one client address may try. */
export const codesPerIp: Limit = { limit: 60, windowMs: 10 * minuteMs }
/** Activities of one sub-organization, signatures included, since each stays in its log. */
export const activitiesPerOrganization: Limit = { limit: 600, windowMs: minuteMs }

/** How far `timestampMs` of an activity may lie from now, unless configured. */
export const defaultSkewMs = { past: hourMs, future: 5 * minuteMs }
/** How far `timestampMs` of a query may lie back: a passkey's prompt is open for five minutes. */
export const boundQueryMs = 10 * minuteMs
/** How long the stamp of a query that names no time is taken, from its first use. */
export const unboundQueryMs = 5 * minuteMs
/** How long an activity waits for votes. */
export const votingMs = dayMs
/** How long after a log-in a session counts as step-up. */
export const stepUpMs = 5 * minuteMs

/** How long a link of a mail confirms. */
export const confirmationMs = 15 * minuteMs
/** Mails that ask for one confirmation: the first, and those sent again. */
export const mailsPerConfirmation = 4
/** Mails that ask an address whether it is to be an account's, from all accounts. */
export const proofsPerAddress: Limit = { limit: 6, windowMs: hourMs }
/** Mails of confirmations that a user can cause. */
export const confirmationsPerUser: Limit = { limit: 20, windowMs: hourMs }
/** How long a proof that an address was read is taken. */
export const addressProofMs = 10 * minuteMs
/** How long it is known of a code or proof of an address that it was tried or used: longer than it lives. */
export const usedCodeMs = dayMs
/** How long the address stays in what is logged of a code that was mailed to it. */
export const keptContactMs = dayMs
/** Links of confirmations that one client address may read or decide. */
export const confirmationReadsPerIp: Limit = { limit: 60, windowMs: 10 * minuteMs }
/** Age at which a passkey confirms by itself. */
export const provenPasskeyMs = dayMs
/** How long after the proof of a new address its user may add the first passkey without a mail. */
export const signUpMs = 15 * minuteMs
/** How long after its making an account may get the wallet of another service as its first. */
export const moveInMs = hourMs
/** How long a link is kept after its end, to say what became of it. */
export const keptLinkMs = dayMs
/** How long a link undoes an added passkey. */
export const undoMs = 7 * dayMs
/** How long a deleted organization keeps its keys, unless configured. */
export const deletionGraceMs = 7 * dayMs

/** How exactly the time of a credential's last use is known: it is written at most once in this time. */
export const lastUseMs = hourMs
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
/** Life of a read-only session. Any holder of its token reads with it: so it is short, and never longer than the key it came from. */
export const readOnlySessionMs = 15 * minuteMs
/** Life of a sign-in link that is not opened, unless the project says otherwise. */
export const defaultLinkSeconds = 900
/** How long ended session keys are kept: as long as something they asked for may wait for votes, and a day more. */
export const keptSessionMs = votingMs + dayMs

/** Life of a key that an import is sealed to. */
export const importTargetMs = hourMs
/** Such keys of each kind that a user may have: one for each open tab. */
export const maxImportTargets = 5

/** Unused sign-in mails that a user may have from one asker: further ones take the place of the asker's own. */
export const maxOpenMails = 3
/** Unused sign-in mails that a user may have from all askers: more than the signer API sends an address in a day. */
export const maxOpenMailsPerUser = 256
/** Life of a sign-in mail's code. */
export const codeMs = 10 * minuteMs
/** Attempts that one code allows. */
export const maxCodeAttempts = 5
/** Digits of a code: the usual ones; those of a project whose pages take six; and those of a code over a budget. */
export const codeDigits = { usual: 9, six: 6, long: 15 }

/**
 * Codes that are mailed and not used: each counts as `maxCodeAttempts` wrong guesses from the moment it is mailed, so
 * many mails at once gain a guesser nothing. A used code, or the link of its mail, takes its count back. The asker's own
 * budget comes first: one asker can use up neither a user's nor a project's. A code over a budget is a long one.
 *
 * The chance of a guesser, at most (a budget is full once and refills once in its window):
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
/** How long the mail role tries to send a notice. */
export const noticeMs = dayMs

/** Rows of one page of a list. */
export const maxPageRows = 100
/** Characters of payloads beyond which hashing waits for its turn among the large ones. */
export const largePayloadLength = 4_096

/** Wallets that an organization may hold. */
export const maxWallets = 100
/** Accounts of all its wallets. */
export const maxAccounts = 1_000
/** Private keys that an organization may hold beside its wallets. */
export const maxPrivateKeys = 100
/** Rows of a list that the wire does not page. */
export const maxListedRows = 1_000

/** Queries of one sub-organization. */
export const queriesPerOrganization: Limit = { limit: 1_200, windowMs: minuteMs }
/** Milliseconds that a request may wait to start. */
export const turnWaitMs = 10_000
/**
 * Requests that hold one of the ten database connections, by project (`perGroup`) and by organization (`perMember`). A
 * parent organization acts for all its users and has the share of the project.
 */
export const workShares = { total: 6, perGroup: 4, perMember: 2, waiting: { perMember: 64 } }
/** Signatures that run at the same time; they share the connections of one look-up and one write. */
export const signingShares = { total: 64, perGroup: 48, perMember: 8, waiting: { perMember: 256 } }
/** Large payloads hashed at a time. */
export const hashingShares = { total: 1, perGroup: 1, perMember: 1, waiting: { perMember: 64 } }
