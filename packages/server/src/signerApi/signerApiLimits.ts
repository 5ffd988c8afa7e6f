import type { MiddlewareHandler } from 'hono'
import type { Db } from '../platform/database/openStore.ts'
import { toMailbox } from '../platform/http/emails.ts'
import { createTokenLeases } from '../platform/limits/createTokenLeases.ts'
import { type Limit, rateLimit, tooManyRequests } from '../platform/limits/rateLimit.ts'
import { returnToken, takeToken } from '../platform/limits/takeToken.ts'
import type { LimitHit } from '../store/createEventStream.ts'
import type { Caller, CallerProject } from './requireProject.ts'

/** Limits per client IP address, project, e-mail address or organization. */
export type SignerApiLimits = {
  /** Requests from one client IP address. */
  requestsPerIp: Limit
  /** Requests with one project's key. */
  requestsPerProject: Limit
  /** Stamped requests for one organization. */
  requestsPerOrganization: Limit
  /** New users from one client IP address. */
  signupsPerIp: Limit
  /** Lists of sign-in methods, which need no stamp, from one client IP address. */
  listsPerIp: Limit
  /**
   * Mails to one e-mail address requested from one client IP address: in quick succession, and over a day. Callers
   * without a known IP address share one limit.
   */
  mailsPerAsker: Limit
  mailsPerAskerDaily: Limit
  /**
   * Mails to one e-mail address from all callers. Much higher than `mailsPerAsker`, so that a single requester cannot
   * lock out the address's owner.
   */
  mailsPerAddress: Limit
  mailsPerAddressDaily: Limit
  /** Mails requested from one client IP address. */
  mailsPerIp: Limit
  /** Mails of one project. */
  mailsPerProject: Limit
}

/**
 * Milliseconds to wait for custody, and then for the mail server to accept a mail. Bodies are at most 64 KiB
 * (`readJson`).
 */
export const defaultTimeoutsMs = { custody: 10_000, mail: 10_000 }

const minute = 60_000
const quarter = 15 * minute
const hour = 60 * minute
const day = 24 * hour

export const defaultLimits: SignerApiLimits = {
  requestsPerIp: { limit: 600, windowMs: minute },
  requestsPerProject: { limit: 60_000, windowMs: minute },
  requestsPerOrganization: { limit: 600, windowMs: minute },
  signupsPerIp: { limit: 300, windowMs: hour },
  listsPerIp: { limit: 30, windowMs: minute },
  mailsPerAsker: { limit: 6, windowMs: quarter },
  mailsPerAskerDaily: { limit: 30, windowMs: day },
  mailsPerAddress: { limit: 40, windowMs: quarter },
  mailsPerAddressDaily: { limit: 120, windowMs: day },
  mailsPerIp: { limit: 120, windowMs: quarter },
  mailsPerProject: { limit: 10_000, windowMs: quarter },
}

export declare namespace createLimits {
  type Mail = { project: CallerProject; email: string; clientIp: string | undefined }
  type ReturnType = {
    requestsPerIp: MiddlewareHandler<Caller>
    requestsPerProject: MiddlewareHandler<Caller>
    signupsPerIp: MiddlewareHandler<Caller>
    listsPerIp: MiddlewareHandler<Caller>
    /** Counts a stamped request of an organization. */
    takeRequest(orgId: string): Promise<void>
    /** Counts a mail. The returned function reverts the count, for a mail that was not sent. */
    takeMail(mail: Mail): Promise<() => Promise<void>>
  }
}

/**
 * Returns the limits: the defaults with overrides. Requests without a known client IP address skip the limits per IP
 * address.
 *
 * @throws `RATE_LIMIT_EXCEEDED` (429), by every member.
 */
export function createLimits(
  db: Db,
  given: Partial<SignerApiLimits> = {},
  onHit?: (hit: LimitHit) => void,
): createLimits.ReturnType {
  const limits = { ...defaultLimits, ...given }
  const take = createTokenLeases({ db, table: 'rate_limits' })
  const perIp = (name: 'requestsPerIp' | 'signupsPerIp' | 'listsPerIp') =>
    rateLimit<Caller>({
      ...limits[name],
      name: `signer.${name}`,
      take,
      key: ({ var: { clientIp } }) => clientIp && `${name} ${clientIp}`,
    })
  return {
    requestsPerIp: perIp('requestsPerIp'),
    signupsPerIp: perIp('signupsPerIp'),
    listsPerIp: perIp('listsPerIp'),
    requestsPerProject: rateLimit<Caller>({
      ...limits.requestsPerProject,
      name: 'signer.requestsPerProject',
      onRefusal: (context) => onHit?.({ limit: 'signer.requestsPerProject', projectId: context.get('project').id }),
      take,
      key: (context) => `project ${context.get('project').id}`,
    }),
    async takeRequest(orgId) {
      const taken = await take({ key: `organization ${orgId}`, ...limits.requestsPerOrganization })
      if (!taken.ok) throw tooManyRequests('signer.requestsPerOrganization', taken.retryAfterMs)
    },
    takeMail: (mail) =>
      takeAll(db, listMailTokens(limits, mail), (limit) => {
        if (limit === 'signer.mailsPerProject') onHit?.({ limit, projectId: mail.project.id })
      }),
  }
}

type MailLimit = Extract<keyof SignerApiLimits, `mails${string}`>
type Token = { name: MailLimit; token: { key: string } & Limit; what: string }

function listMailTokens(limits: SignerApiLimits, { project, email, clientIp }: createLimits.Mail): Token[] {
  const toAddress = 'Too many emails were sent to this address'
  // Keyed by e-mail address rather than by user, since several sign-ups may claim an address in succession.
  const address = `${project.organizationId} ${toMailbox(email)}`
  const asked = `${clientIp} ${address}`
  const tokens: Token[] = [
    { name: 'mailsPerAsker', token: { key: `mail asker ${asked}`, ...limits.mailsPerAsker }, what: toAddress },
    {
      name: 'mailsPerAskerDaily',
      token: { key: `mail asker daily ${asked}`, ...limits.mailsPerAskerDaily },
      what: toAddress,
    },
    {
      name: 'mailsPerProject',
      token: { key: `mail project ${project.id}`, ...limits.mailsPerProject },
      what: 'Too many emails were sent',
    },
    { name: 'mailsPerAddress', token: { key: `mail address ${address}`, ...limits.mailsPerAddress }, what: toAddress },
    {
      name: 'mailsPerAddressDaily',
      token: { key: `mail address daily ${address}`, ...limits.mailsPerAddressDaily },
      what: toAddress,
    },
  ]
  if (clientIp === undefined) return tokens
  return [
    {
      name: 'mailsPerIp',
      token: { key: `mail ip ${clientIp}`, ...limits.mailsPerIp },
      what: 'Too many emails were asked for',
    },
    ...tokens,
  ]
}

/**
 * Takes tokens of all limits or of none. Otherwise, too many requests for one address would use up the whole project's
 * limit.
 */
async function takeAll(
  db: Db,
  tokens: readonly Token[],
  onRefusal: (limit: `signer.${MailLimit}`) => void,
): Promise<() => Promise<void>> {
  for (const [index, { name, token, what }] of tokens.entries()) {
    const taken = await takeToken(db, token)
    if (taken.ok) continue
    await returnAll(db, tokens.slice(0, index))
    const limit = `signer.${name}` as const
    onRefusal(limit)
    throw tooManyRequests(limit, taken.retryAfterMs, what)
  }
  return () => returnAll(db, tokens)
}

async function returnAll(db: Db, tokens: readonly Token[]): Promise<void> {
  for (const { token } of tokens) await returnToken(db, token)
}
