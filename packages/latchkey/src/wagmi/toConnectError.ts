import { UserRejectedRequestError } from 'viem'

/** Rethrows; what the person refused as the error that users of wagmi look for. */
export function toConnectError(error: unknown): never {
  const isRefused = error instanceof Error && 'code' in error && error.code === UserRejectedRequestError.code
  throw isRefused ? new UserRejectedRequestError(error) : error
}
