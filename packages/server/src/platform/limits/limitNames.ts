import { metrics } from '../observability/metrics.ts'

/** Names of all limits in the metrics: the role, and the limit's name in that role's code. */
const limitNames = [
  'admin.readsPerOperator',
  'admin.requestsPerIp',
  'admin.signInsPerIp',
  'admin.streams',
  'admin.writesPerOperator',
  'custody.activitiesPerOrganization',
  'custody.codesPerIp',
  'custody.confirmationReadsPerIp',
  'custody.confirmationsPerUser',
  'custody.factorTries',
  'custody.mailsPerConfirmation',
  'custody.proofsPerAddress',
  'custody.queriesPerOrganization',
  'custody.requestsPerIp',
  'custody.turns',
  'gateway.newAccountsPerIp',
  'gateway.newAccountsPerKey',
  'gateway.requestsPerIp',
  'gateway.requestsPerKey',
  'gateway.requestsPerProject',
  'gateway.streams',
  'gateway.turns',
  'gateway.unitsPerIp',
  'gateway.unitsPerKey',
  'gateway.unitsPerProject',
  'gateway.waits',
  'signer.listsPerIp',
  'signer.mailsPerAddress',
  'signer.mailsPerAddressDaily',
  'signer.mailsPerAsker',
  'signer.mailsPerAskerDaily',
  'signer.mailsPerIp',
  'signer.mailsPerProject',
  'signer.requestsPerIp',
  'signer.requestsPerOrganization',
  'signer.requestsPerProject',
  'signer.signupsPerIp',
] as const

export type LimitName = (typeof limitNames)[number]

/**
 * Counts a refusal by a limit of the server or of a gas policy. A policy's limit is named after its rule, such as
 * `policy.limits.sender.day.count`.
 */
export function countLimit(limit: LimitName | `policy.${string}`): void {
  metrics.limitsHit.inc({ limit })
}
