import type { Chain, Client, Hex, StateOverride, Transport } from 'viem'
import type { SmartAccount } from 'viem/account-abstraction'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { LatchkeyAccount } from '../types.ts'

/**
 * Absolute value in gas or wei per gas. Latchkey's client also accepts a multiplier of its estimate, with at most 4
 * decimals.
 */
export type GasOverride = bigint | number | Hex | { multiplier: number }

export type GasField =
  | 'callGasLimit'
  | 'verificationGasLimit'
  | 'preVerificationGas'
  | 'maxFeePerGas'
  | 'maxPriorityFeePerGas'
  | 'paymasterVerificationGasLimit'
  | 'paymasterPostOpGasLimit'

/** Values that replace or multiply Latchkey's estimates for a user operation. */
export type OperationOverrides = { [field in GasField]?: GasOverride | undefined } & {
  /** EntryPoint 0.6: sends the operation without a paymaster. Only supported by Latchkey's client. */
  paymasterAndData?: '0x' | undefined
  /** EntryPoint 0.7: sends the operation without a paymaster. Only supported by Latchkey's client. */
  paymasterData?: '0x' | undefined
  /** Key of the two-dimensional nonce (ERC-4337). @default 0n */
  nonceKey?: bigint | undefined
  /** Chain state overrides for the gas estimation. Only supported by Latchkey's client. */
  stateOverride?: StateOverride | undefined
}

/** Members of Latchkey's smart-account client that the actions use. */
export type LatchkeyOperationClient = {
  readonly smartAccount: LatchkeyAccount
  sendUserOperation(parameters: {
    uo: Hex
    overrides?: OperationOverrides | undefined
    context?: unknown
  }): Promise<{ hash: Hex; request?: unknown }>
  /**
   * Waits until the operation is in a block. `request` is the operation as sent; the error of a failed wait includes
   * it.
   */
  waitForUserOperationTransaction(parameters: { hash: Hex; request?: unknown }): Promise<Hex>
}

/** Client that sends user operations: Latchkey's smart-account client, or a viem bundler client. */
export type OperationClient = LatchkeyOperationClient | Client<Transport, Chain | undefined, SmartAccount | undefined>

/** Options of every action that sends an operation. */
export type SendOptions = {
  /**
   * Account that sends the operation. A viem bundler client can send for any account.
   *
   * @default account of the client
   */
  account?: LatchkeyAccount | undefined
  overrides?: OperationOverrides | undefined
  /** Value for the middleware of Latchkey's client. viem's clients have no middleware. */
  context?: unknown
  /** Whether to wait until the operation is in a block, and return the transaction hash. @default false */
  waitForTxn?: boolean | undefined
}

export function isLatchkeyClient(client: OperationClient): client is LatchkeyOperationClient {
  return 'smartAccount' in client
}

/**
 * Returns the account of an action.
 *
 * @throws `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export function requireAccount(client: OperationClient, { account }: SendOptions, method: string): LatchkeyAccount {
  requireSendingClient(client, method)
  const own = isLatchkeyClient(client) ? client.smartAccount : client.account
  if (isLatchkeyClient(client) && account && account !== own) throw otherAccountError(method)
  const found = account ?? own
  if (found && isLatchkeyAccount(found)) return found
  throw new BaseError('Could not find an Account to execute with this Action.', {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: [`Pass an \`account\` of Latchkey's to \`${method}\`, or make the client with one.`],
    name: 'AccountNotFoundError',
  })
}

function isLatchkeyAccount(account: LatchkeyAccount | SmartAccount): account is LatchkeyAccount {
  return 'encodeUpgradeToAndCall' in account
}

function otherAccountError(method: string): BaseError {
  return new BaseError('A client of Latchkey sends operations of its own account only.', {
    code: 'CLIENT_INCOMPATIBLE',
    metaMessages: [`Make a client of the \`account\` given to \`${method}\`, or leave it out.`],
    name: 'IncompatibleClientError',
  })
}

/** Checks that the client can send operations. Types guarantee this in TypeScript, but not in JavaScript. */
function requireSendingClient(client: { type?: string; sendUserOperation?: unknown }, method: string): void {
  if (typeof client?.sendUserOperation === 'function') return
  throw new BaseError(`Client of type (${client?.type}) is not a SmartAccountClient.`, {
    code: 'CLIENT_INCOMPATIBLE',
    metaMessages: [`Create one with \`createSmartAccountClient\` first before using \`${method}\``],
    name: 'IncompatibleClientError',
  })
}
