import type { Limit } from '../../http/rateLimit.ts'

/** What one client, project, address or organization may do. Each is a number of times in a window of milliseconds. */
export type SignerApiLimits = {
  /** Requests from one client address. */
  requestsPerIp: Limit
  /** Requests with one project's key. */
  requestsPerProject: Limit
  /** Stamped requests for one organization. */
  requestsPerOrganization: Limit
  /** New users from one client address. */
  signupsPerIp: Limit
  /** Mails to one e-mail address, soon after each other and over a day. */
  mailsPerAddress: Limit
  mailsPerAddressDaily: Limit
  /** Mails asked for from one client address. */
  mailsPerIp: Limit
  /** Mails of one project. */
  mailsPerProject: Limit
}

const minute = 60_000
const quarter = 15 * minute
const hour = 60 * minute
const day = 24 * hour

export const defaultLimits: SignerApiLimits = {
  requestsPerIp: { limit: 600, windowMs: minute },
  requestsPerProject: { limit: 60_000, windowMs: minute },
  requestsPerOrganization: { limit: 600, windowMs: minute },
  signupsPerIp: { limit: 300, windowMs: hour },
  mailsPerAddress: { limit: 6, windowMs: quarter },
  mailsPerAddressDaily: { limit: 30, windowMs: day },
  mailsPerIp: { limit: 120, windowMs: quarter },
  mailsPerProject: { limit: 10_000, windowMs: quarter },
}
