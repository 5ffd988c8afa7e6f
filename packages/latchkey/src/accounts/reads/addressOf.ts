import type { Address, Client } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'

/** Names the account an action is about. */
export type AccountParameter = {
  /** Default: the account of the client. */
  address?: Address | undefined
}

/**
 * Address an action is about. Throws 'Could not find an Account to execute with this Action.' (`ACCOUNT_NOT_FOUND`),
 * `ADDRESS_INVALID`.
 */
export function addressOf(client: Pick<Client, 'account'>, { address }: AccountParameter): Address {
  const found = address ?? client.account?.address
  if (found) return requireAddress(found)
  throw new BaseError('Could not find an Account to execute with this Action.', {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: ['Pass `address`, or make the client with an `account`.'],
    name: 'AccountNotFoundError',
  })
}
