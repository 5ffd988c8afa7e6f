import type { ErrorCode } from './errorCodes.ts'
import type { OperationState } from './gateway.ts'

/** Base path of the admin API. Its OpenAPI document lists the paths and their required roles. */
export const adminPath = '/admin/v1'

/** Paths below `adminPath` at which an operator signs in by passkey, without a bearer token. */
export const signInPaths = { challenge: '/sessions/challenge', session: '/sessions' } as const

/** Operator roles. Each has its own permission and those of the previous roles: read, change, manage operator keys. */
export const operatorRoles = ['viewer', 'operator', 'admin'] as const

export type OperatorRole = (typeof operatorRoles)[number]

/** Body of every error response of the admin API. */
export type AdminErrorBody = { error: { code: ErrorCode; message: string; requestId: string } }

/** A page of a list. `next`: cursor of the next page; null on the last page. */
export type AdminPage<row> = { items: row[]; next: string | null }

/** Wei and other large numbers are decimal digits, times ISO 8601. */
export type AdminOperation = {
  userOpHash: string
  projectId: string | null
  policyId: string | null
  chainId: number
  entryPoint: string
  sender: string
  nonce: string
  paymaster: string | null
  state: OperationState
  failure: string | null
  replacedBy: string | null
  maxCost: string | null
  actualGasCost: string | null
  actualGasUsed: string | null
  success: boolean | null
  blockNumber: string | null
  blockHash: string | null
  transactionHash: string | null
  confirmed: boolean
  resends: number
  createdAt: string
  updatedAt: string
  timeline: { state: OperationState | 'confirmed'; at: string }[]
}

export type AdminShownOperation = AdminOperation & {
  validUntil: string | null
  blockTime: string | null
  /** Reason why the operation did not succeed; null if nothing went wrong. */
  explanation: { code: string; what: string; hint: string; reason: string | null } | null
  /**
   * Token transfers and approvals in the receipt's logs: the first hundred of `count`. Null until the receipt has been
   * read.
   */
  outcome: { changes: AdminAssetChange[]; count: number } | null
  events: { id: string; state: OperationState; confirmed: boolean; at: string }[]
}

/** Change of a token or the chain's coin, as requested by a call or reported by a token's log. */
export type AdminAssetChange = {
  kind: 'transfer' | 'approval'
  standard: 'native' | 'ERC-20' | 'ERC-721' | 'ERC-20 or ERC-721' | 'ERC-1155' | 'ERC-721 or ERC-1155'
  /** The token; null for the chain's coin. */
  contract: string | null
  from: string
  to: string
  /**
   * In the smallest unit; null for all tokens and for a single NFT. May be a token id if the token's standard is
   * ambiguous.
   */
  amount: string | null
  tokenId: string | null
}

/** Call of an operation. `signature` and `arguments`: those of the function, if its selector is known. */
export type AdminCall = {
  to: string
  value: string
  selector: string | null
  signature: string | null
  arguments: { name: string; type: string; value: string }[]
  data: string
}

/** `callData`: null if it is not stored. `calls`: the first hundred of `count`; null if they could not be decoded. */
export type AdminOperationCalls = {
  callData: string | null
  count: number
  calls: AdminCall[] | null
  changes: AdminAssetChange[]
}

export type AdminProject = {
  id: string
  name: string
  redirectUrls: string[]
  allowedOrigins: string[]
  organizationId: string | null
  logoUrl: string | null
  hidesAccounts: boolean
  file: Record<string, unknown> | null
  readOnly: string
  createdAt: string
  updatedAt: string
}

export type AdminPolicy = {
  id: string
  projectId: string
  isDefault: boolean
  paused: boolean
  /** All rules, in the form of the policies file. */
  rules: object
  version: string
  source: 'file' | 'operators'
  changedBy: string | null
  changedAt: string
  createdAt: string
}

/** Sums of a day (UTC). */
export type AdminSpend = {
  policyId: string
  chainId: number
  sender: string | null
  day: string
  reserved: string
  settled: string
  refunded: string
  operations: { reserved: number; settled: number; released: number }
}

export type AdminApiKey = {
  id: string
  projectId: string
  name: string
  start: string
  chains: number[] | null
  origins: string[] | null
  methods: string[] | null
  requestsPerMinute: number | null
  unitsPerMinute: number | null
  revokedAt: string | null
  createdAt: string
}

/** Operators in the configuration, who sign in to the console by passkey. */
export type AdminConsoleOperator = { id: string; name: string; role: OperatorRole; passkeys: number; sessions: number }

export type AdminOperator = {
  id: string
  name: string
  role: OperatorRole
  createdAt: string
  expiresAt: string | null
  removedAt: string | null
  genuine: boolean
}

export type AdminLogEntry = {
  seq: string
  at: string
  operatorId: string
  operatorName: string
  role: string
  action: string
  projectId: string | null
  target: string | null
  outcome: 'done' | 'refused'
  code: string | null
  beforeDigest: string | null
  afterDigest: string | null
  requestId: string | null
}

/**
 * Result of checking the newest entries of the operator log.
 *
 * - `head`: the last entry, with `mac` in hex; null if the log is empty.
 * - `checkedFrom`: number of the oldest entry checked against its predecessor.
 * - `bad`: number of the first entry that was changed or is missing; null if there is none.
 */
export type AdminLogChain = {
  head: { seq: string; mac: string } | null
  checkedFrom: string | null
  bad: string | null
}

/** Whether a policy pays for an operation, and the rule that refuses it. */
export type AdminVerdict = { sponsored: boolean; rule: string | null; reason: string | null; unchecked: string[] }

/** Figures for a time range. Rates are 0 to 1; null where nothing was counted. */
export type AdminFigures = {
  newUsers: number
  operations: Partial<Record<OperationState, number>>
  inclusionRate: number | null
  preparedToIncluded: { medianMs: number; p95Ms: number } | null
  sponsored: { chainId: number; wei: string; operations: number }[]
  refusals: { code: string; count: number }[]
}

export type AdminOverview = {
  from: string
  to: string
  step: 'hour' | 'day'
  countedFrom: string | null
  totals: AdminFigures & { users: number }
  series: (AdminFigures & { at: string })[]
}

/** Email without its content. */
export type AdminMail = {
  id: string
  organizationId: string
  kind: string
  recipient: string
  state: 'queued' | 'sent' | 'failed'
  tries: number
  nextTryAt: string | null
  failure: string | null
  expiresAt: string
  createdAt: string
  updatedAt: string
}

export type AdminWebhook = { id: string; origin: string; events: string[]; waiting: number; dead: number }

/** Delivery of a webhook to one endpoint, without its content. */
export type AdminDelivery = {
  id: string
  type: string
  state: 'queued' | 'delivered' | 'dead'
  tries: number
  nextTryAt: string | null
  failure: string | null
  createdAt: string
  updatedAt: string
}

/** Search result for a person. */
export type AdminFoundPerson = {
  organizationId: string
  parentOrganizationId: string | null
  name: string
  /** `email`: for viewers only the first character and the domain. */
  users: { id: string; name: string; email: string | null; emailVerifiedAt: string | null; createdAt: string }[]
  /** Null if the account is not being deleted. */
  deletion: { keysDestroyedAt: string; isDone: boolean } | null
  /** Null if the account is not frozen. */
  frozenAt: string | null
  createdAt: string
}

export type AdminCredential = {
  id: string
  userId: string
  kind: 'passkey' | 'api-key'
  type: string
  name: string
  createdAt: string
  lastUsedAt: string | null
}

/** Address of a key. */
export type AdminKeyAddress = { address: string; name: string; exportedAt: string | null; createdAt: string }

export type AdminPerson = AdminFoundPerson & {
  /** Deletion that a second admin must confirm by stamping `body`. */
  waitingDeletion: { body: string; operatorId: string; operatorName: string; createdAt: string } | null
  credentials: AdminCredential[]
  sessions: (AdminCredential & { endsAt: string })[]
  providers: { id: string; name: string; issuer: string; createdAt: string }[]
  /** Authenticator apps; `activatedAt` is null until the user has proven a code. */
  factors: { id: string; activatedAt: string | null; recoveryCodesLeft: number; createdAt: string }[]
  wallets: (AdminKeyAddress & { path: string; imported: boolean })[]
  privateKeys: AdminKeyAddress[]
  accounts: {
    address: string
    owner: string
    factoryType: string
    chains: { chainId: number; operations: number; lastAt: string }[]
  }[]
}

/** Refused request or change of an account. Contains ids only. */
export type AdminSecurityEvent = {
  id: string
  at: string
  roles: string[]
  event: string
  code: string | null
  path: string | null
  organizationId: string | null
  userId: string | null
  requestId: string | null
  count: number
}

/** Outcome of an operator's activity. */
export type AdminActivityOutcome = { state: 'done' | 'waiting'; activityId: string | null }

/** State of a chain at a gateway's last check. */
export type AdminChain = {
  chainId: number
  head: { number: string; time: string } | null
  bundlerEntryPoints: string[] | null
  /** Wei in decimal digits. */
  paymasters: { entryPoint: string; paymaster: string; deposit: string; stake: string; isStaked: boolean }[]
  readUpTo: { entryPoint: string; number: string; time: string }[]
  /** Code of the last failure. */
  error: string | null
  errorAt: string | null
  lookedAt: string
}

/** State of each running copy of the server, and of each role. */
export type AdminHealth = {
  copies: {
    id: string
    roles: string[]
    version: string
    status: 'ready' | 'not ready' | 'silent'
    /** Problems of this copy, by role. */
    problems: Record<string, string>
    lacking: Record<string, string>
    startedAt: string
    seenAt: string
  }[]
  roles: { role: string; copies: number; ready: number; lacking: string | null }[]
}
