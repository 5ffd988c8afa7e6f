import type { Hex } from 'viem'
import { requireAddress, requireBytes, requireUint } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract, WholeCall } from './contract.ts'
import type { Call } from './types.ts'

/**
 * Call data of an account for one call or several. Throws `USER_OPERATION_INVALID` when there is none,
 * `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 */
export function encodeCalls(contract: AccountContract, calls: readonly Call[]): Hex {
  const [first, ...more] = (calls ?? []).map(toWhole)
  if (first) return contract.encodeCalls([first, ...more])
  throw new BaseError('A user operation needs at least one call.', { code: 'USER_OPERATION_INVALID' })
}

function toWhole({ to, data = '0x', value = 0n }: Call): WholeCall {
  return {
    to: requireAddress(to),
    data: requireBytes('The data of a call', data),
    value: requireUint('The value of a call', value, 256),
  }
}
