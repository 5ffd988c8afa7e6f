import type { ErrorCode } from './errorCodes.ts'
import type { OperationState } from './gateway.ts'

/** Where the admin API is served. Its paths, with who may call them, are in its OpenAPI document. */
export const adminPath = '/admin/v1'

/** Below it, without a bearer: where an operator signs in by passkey. */
export const signInPaths = { challenge: '/sessions/challenge', session: '/sessions' } as const

/** Operator roles, each with the permissions of the ones before it: read, change, manage operator keys. */
export const operatorRoles = ['viewer', 'operator', 'admin'] as const

export type OperatorRole = (typeof operatorRoles)[number]

/** Body of every response of the admin API that is no success. */
export type AdminErrorBody = { error: { code: ErrorCode; message: string; requestId: string } }

/** A page of a list; `next` is the cursor of the next one, null on the last. */
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
  /** Why it did not do what it asks for; null where nothing went wrong. */
  explanation: { code: string; what: string; hint: string; reason: string | null } | null
  /** Token logs of its receipt, the first hundred of `count`; null before it is in a block and its receipt is read. */
  outcome: { changes: AdminAssetChange[]; count: number } | null
  events: { id: string; state: OperationState; confirmed: boolean; at: string }[]
}

/** Change of a token or the chain's coin that a call requests or a token's log reports. */
export type AdminAssetChange = {
  kind: 'transfer' | 'approval'
  standard: 'native' | 'ERC-20' | 'ERC-721' | 'ERC-20 or ERC-721' | 'ERC-1155' | 'ERC-721 or ERC-1155'
  /** The token; null for the chain's coin. */
  contract: string | null
  from: string
  to: string
  /** The least units; null where it is all that there are, and for one piece. Of `ERC-20 or ERC-721` it may be an id. */
  amount: string | null
  tokenId: string | null
}

/** A call of an operation. `signature`: of the function that is known by its selector, with what it is called with. */
export type AdminCall = {
  to: string
  value: string
  selector: string | null
  signature: string | null
  arguments: { name: string; type: string; value: string }[]
  data: string
}

/** `callData`: null where it is not kept. `calls`: null where it could not be decoded; the first hundred, of `count`. */
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
  /** As in the policies file, complete. */
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

/** Operators of the configuration, who sign in to the console by passkey. */
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
 * Whether the newest entries of the log hold together. `head`: the end, null while the log is empty; `mac` in hex. `checkedFrom`: number of
 * the oldest entry that was held against the one before. `bad`: of the first that is not as it was written, or that is missing.
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

/** A mail without what it says. */
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

/** A webhook to one endpoint, without what it says. */
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

/** A person, as a search finds them. */
export type AdminFoundPerson = {
  organizationId: string
  parentOrganizationId: string | null
  name: string
  /** `email`: for viewers only the first character and the domain. */
  users: { id: string; name: string; email: string | null; emailVerifiedAt: string | null; createdAt: string }[]
  /** Null: not being deleted. */
  deletion: { keysDestroyedAt: string; isDone: boolean } | null
  /** Null: not frozen. */
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

/** A key by its address. */
export type AdminKeyAddress = { address: string; name: string; exportedAt: string | null; createdAt: string }

export type AdminPerson = AdminFoundPerson & {
  /** A deletion that a second admin has to confirm: `body` is what they stamp. */
  waitingDeletion: { body: string; operatorId: string; operatorName: string; createdAt: string } | null
  credentials: AdminCredential[]
  sessions: (AdminCredential & { endsAt: string })[]
  wallets: (AdminKeyAddress & { path: string; imported: boolean })[]
  privateKeys: AdminKeyAddress[]
  accounts: {
    address: string
    owner: string
    factoryType: string
    chains: { chainId: number; operations: number; lastAt: string }[]
  }[]
}

/** Refusals and changes of accounts, by ids only. */
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

/** A chain as a gateway found it at its last look. */
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

/** Copies of the server, and how each is. */
export type AdminHealth = {
  copies: {
    id: string
    roles: string[]
    version: string
    status: 'ready' | 'not ready' | 'silent'
    /** By role. */
    problems: Record<string, string>
    lacking: Record<string, string>
    startedAt: string
    seenAt: string
  }[]
  roles: { role: string; copies: number; ready: number; lacking: string | null }[]
}
