import type { Hex } from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'
import type { Call } from './types.ts'

/** Call data of an account for one call or several. Throws `USER_OPERATION_INVALID` when there is none. */
export function encodeCalls(contract: AccountContract, calls: readonly Call[]): Hex {
  const [first, ...more] = calls
  if (first) return contract.encodeCalls([first, ...more])
  throw new BaseError('A user operation needs at least one call.', { code: 'USER_OPERATION_INVALID' })
}
