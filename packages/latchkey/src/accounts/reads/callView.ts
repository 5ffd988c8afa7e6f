import type { Address, Client, Hex } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { toRpcError } from '../errors/RpcError.ts'

/** Account parameter of actions. */
export type AccountParameter = {
  /** @default the client's account */
  address?: Address | undefined
}

/**
 * Returns the address of the account for an action.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 */
export function requireAccountAddress(client: Pick<Client, 'account'>, address: Address | undefined): Address {
  const found = address ?? client.account?.address
  if (found) return requireAddress(found)
  throw new BaseError('Could not find an Account to execute with this Action.', {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: ['Pass `address`, or make the client with an `account`.'],
    name: 'AccountNotFoundError',
  })
}

export declare namespace callView {
  type Parameters = {
    client: Client
    address: Address
    data: Hex
    /** Failed action, as a sentence. */
    action: string
  }
  /** Result; undefined if there is no code, the function does not exist, or it reverts. */
  type ReturnType = Hex | undefined
}

/**
 * Calls a view function and returns its result.
 *
 * @throws `RPC_FAILED`, `NETWORK_UNREACHABLE`, `TIMEOUT`, `HTTP_FAILED`, `RPC_URL_INVALID`.
 */
export async function callView({ client, address, data, action }: callView.Parameters): Promise<callView.ReturnType> {
  try {
    const result = await client.request({ method: 'eth_call', params: [{ to: address, data }, 'latest'] })
    return result === '0x' ? undefined : result
  } catch (cause) {
    const error = toRpcError(cause, { action })
    if (error.code === 'RPC_FAILED' && /revert/i.test(error.message)) return undefined
    throw error
  }
}
