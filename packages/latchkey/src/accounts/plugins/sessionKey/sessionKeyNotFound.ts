import type { Address } from 'viem'
import { BaseError } from '../../../core/errors/BaseError.ts'

export function sessionKeyNotFound(key: Address, account: Address): BaseError {
  return new BaseError(`${key} is not a session key of ${account}.`, {
    code: 'SESSION_KEY_NOT_FOUND',
    metaMessages: ['`getAccountSessionKeys` lists those there are.'],
  })
}
