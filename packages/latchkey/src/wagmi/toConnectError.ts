import { UserRejectedRequestError } from 'viem'

/** Rethrows an error; converts the user's refusal to the error that wagmi's users expect. */
export function toConnectError(error: unknown): never {
  const isRefused = Object(error).code === UserRejectedRequestError.code
  throw isRefused ? new UserRejectedRequestError(error as Error) : error
}
