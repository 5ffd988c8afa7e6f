import type { Address, Client, Hex } from 'viem'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { callView, requireAccountAddress } from '../../reads/callView.ts'

/** Names the account an action is about. */
export type ModularAccountParameter = {
  /** Default: the account of the client. */
  account?: Address | undefined
}

/** Asks a modular account. Throws `ACCOUNT_NOT_FOUND` where there is none, or not yet. */
export async function callLoupe(
  client: Client,
  { account, data }: ModularAccountParameter & { data: Hex },
): Promise<Hex> {
  const address = requireAccountAddress(client, account)
  const answer = await callView({ client, address, data, action: 'Could not read the plugins of the account.' })
  if (answer) return answer
  throw new BaseError(`There is no modular account at ${address}.`, {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: ['It is on the chain once its first operation has deployed it.'],
  })
}
