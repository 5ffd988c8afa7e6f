import { UserRejectedRequestError } from 'viem'

/** Rethrows an error. Converts a user rejection to the error that wagmi apps expect. */
export function toConnectError(error: unknown): never {
  const isRefused = Object(error).code === UserRejectedRequestError.code
  throw isRefused ? new UserRejectedRequestError(error as Error) : error
}
