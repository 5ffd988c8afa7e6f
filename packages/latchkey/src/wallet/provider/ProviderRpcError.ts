import type { ErrorCode } from 'latchkey-protocol'
import { RpcError, readRevertData } from '../../accounts/errors/RpcError.ts'
import { BaseError, readMessage } from '../../core/errors/BaseError.ts'

/** Error numbers of EIP-1193, EIP-1474 and EIP-5792. */
export const providerErrorCodes = {
  userRejected: 4001,
  unauthorized: 4100,
  unsupportedMethod: 4200,
  disconnected: 4900,
  chainDisconnected: 4901,
  unrecognizedChain: 4902,
  unsupportedCapability: 5700,
  unsupportedChain: 5710,
  duplicateId: 5720,
  unknownBundle: 5730,
  bundleTooLarge: 5740,
  executionReverted: 3,
  invalidParams: -32602,
  internal: -32603,
  transactionRejected: -32003,
  limitExceeded: -32005,
} as const

type Name = keyof typeof providerErrorCodes

/** Provider error of each Latchkey error code. Other codes are internal errors. */
const names: { readonly [code in ErrorCode]?: Name } = {
  ABORTED: 'userRejected',
  CONFIRMATION_REFUSED: 'userRejected',
  PASSKEY_CANCELLED: 'userRejected',
  SUPERSEDED: 'userRejected',
  ACCOUNT_NOT_FOUND: 'unauthorized',
  API_KEY_NOT_ALLOWED: 'unauthorized',
  ORIGIN_NOT_ALLOWED: 'unauthorized',
  SESSION_EXPIRED: 'unauthorized',
  SIGNER_NOT_AUTHENTICATED: 'unauthorized',
  SIGNER_NOT_CONNECTED: 'unauthorized',
  UNAUTHENTICATED: 'unauthorized',
  METHOD_NOT_SUPPORTED: 'unsupportedMethod',
  TRANSACTION_SIGNING_UNSUPPORTED: 'unsupportedMethod',
  SIGNATURE_UNSUPPORTED: 'unsupportedMethod',
  BUNDLER_UNREACHABLE: 'disconnected',
  NETWORK_UNREACHABLE: 'disconnected',
  NODE_UNREACHABLE: 'disconnected',
  TIMEOUT: 'disconnected',
  CHAIN_MISMATCH: 'chainDisconnected',
  CHAIN_NOT_FOUND: 'unrecognizedChain',
  ADDRESS_INVALID: 'invalidParams',
  ARGUMENT_INVALID: 'invalidParams',
  BODY_TOO_LARGE: 'invalidParams',
  REQUEST_INVALID: 'invalidParams',
  CONTRACT_REVERTED: 'executionReverted',
  USER_OPERATION_REVERTED: 'executionReverted',
  PAYMASTER_DEPOSIT_LOW: 'transactionRejected',
  POLICY_NOT_FOUND: 'transactionRejected',
  POLICY_REFUSED: 'transactionRejected',
  USER_OPERATION_INVALID: 'transactionRejected',
  RATE_LIMIT_EXCEEDED: 'limitExceeded',
}

export declare namespace ProviderRpcError {
  type Options = { data?: unknown; cause?: unknown }
}

/**
 * Provider error (EIP-1193 § Errors). `code` is a number, so the error is not a `BaseError`; `cause` is the
 * `BaseError`, if there is one. `data`: revert data, or code and text of the cause.
 */
export class ProviderRpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: Name | number, message: string, { data, cause }: ProviderRpcError.Options = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ProviderRpcError'
    this.code = typeof code === 'number' ? code : providerErrorCodes[code]
    this.data = data
  }
}

/** Converts any failure to a provider error. */
export function toProviderError(error: unknown): ProviderRpcError {
  if (error instanceof ProviderRpcError) return error
  if (!(error instanceof BaseError)) {
    const message = readMessage(error) || 'The wallet failed.'
    return new ProviderRpcError('internal', message, { cause: error })
  }
  const name = names[error.code]
  const data = { code: error.code, message: error.shortMessage }
  if (name) return new ProviderRpcError(name, error.message, { data: readData(error) ?? data, cause: error })
  // Refusals by the node or the bundler keep their original number.
  const code = error instanceof RpcError && error.rpcCode !== undefined ? error.rpcCode : 'internal'
  return new ProviderRpcError(code, error.message, { data, cause: error })
}

/**
 * Converts a failed node call. The number and `data` stay unchanged, because libraries decode the revert reason from
 * `data`.
 */
export function toNodeError(error: unknown, converted: BaseError): ProviderRpcError {
  if (!(converted instanceof RpcError) || converted.rpcCode === undefined) return toProviderError(converted)
  const data = readRevertData(error) ?? { code: converted.code, message: converted.shortMessage }
  return new ProviderRpcError(converted.rpcCode, converted.shortMessage, { data, cause: converted })
}

function readData(error: BaseError): string | undefined {
  const { data, revertData } = error as { data?: unknown; revertData?: unknown }
  return [data, revertData].find((value) => typeof value === 'string' && value.startsWith('0x')) as string | undefined
}
