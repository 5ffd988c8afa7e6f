import type { OperationState } from './gateway.ts'

/** Headers of a webhook, by the Standard Webhooks specification. */
export const webhookHeaders = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

/** Maximum difference between the time of a webhook's signature and the receiver's clock, in seconds. */
export const webhookToleranceSeconds = 300

/** Prefix of a secret; 24 to 64 bytes in base64 follow. */
export const webhookSecretPrefix = 'whsec_'

type Hex = `0x${string}`

type OperationData = {
  userOpHash: Hex
  chainId: number
  entryPoint: Hex
  sender: Hex
  /** Decimal. */
  nonce: string
  /** Id of the gas policy that pays; null if the account or another paymaster pays. */
  policyId: string | null
}

/** Payload of each webhook type. Contains only ids and figures. */
export type WebhookData = {
  /** An account was created: an organization with its user. */
  'user.created': { organizationId: string; userId: string }
  /** A passkey or an API key was added to an account. */
  'credential.added': { organizationId: string; userId: string; activityId: string; kind: 'passkey' | 'api-key' }
  /** A seed phrase or a key was exported. */
  'wallet.exported': { organizationId: string; userId: string; activityId: string }
  /**
   * An operation is in a block, and the number of blocks on top of it has reached the chain's configured confirmations.
   * `success`: whether the operation did not revert.
   */
  'operation.included': OperationData & {
    success: boolean
    transactionHash: Hex
    blockNumber: string
    blockHash: Hex
    /** Wei. */
    actualGasCost: string
  }
  /**
   * A bundler refused or lost an operation, or another operation used its nonce. The operation's calls may be sent
   * again.
   */
  'operation.failed': OperationData & {
    reason: Extract<OperationState, 'failed' | 'dropped' | 'replaced'>
    /** Hash of the operation that used the same nonce. */
    replacedBy: Hex | null
  }
  /** The deposit of a paymaster is below its configured minimum, in wei. Sent at most every six hours. */
  'deposit.low': { chainId: number; entryPoint: Hex; paymaster: Hex; deposit: string; lowBelow: string }
  /** A request was refused because a limit of the project was reached. Sent at most once an hour for each limit. */
  'limit.hit': { limit: string; policyId: string | null }
}

export type WebhookType = keyof WebhookData

export const webhookTypes = [
  'user.created',
  'credential.added',
  'wallet.exported',
  'operation.included',
  'operation.failed',
  'deposit.low',
  'limit.hit',
] as const satisfies readonly WebhookType[]

/**
 * The body of a webhook. `id` stays the same when the webhook is sent again, so that a receiver can drop duplicates.
 */
export type WebhookEvent = {
  [type in WebhookType]: {
    id: string
    type: type
    /** ISO 8601. */
    timestamp: string
    projectId: string
    data: WebhookData[type]
  }
}[WebhookType]
