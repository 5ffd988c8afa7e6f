import type { Address, Client } from 'viem'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { type AccountParameter, addressOf } from './addressOf.ts'
import { fetchOwner } from './fetchOwner.ts'

export declare namespace readOwner {
  type Parameters = AccountParameter
  /** EIP-55. */
  type ReturnType = Address
  type ErrorType = BaseError
}

/** Owner of a deployed LightAccount, as the chain has it. Throws 'could not get on-chain owner' (`OWNER_NOT_FOUND`). */
export async function readOwner(client: Client, parameters: readOwner.Parameters = {}): Promise<readOwner.ReturnType> {
  return fetchOwner(client, addressOf(client, parameters))
}
