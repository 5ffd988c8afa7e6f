import type { Hex } from 'viem'
import { accountOf, type OperationClient, type SendOptions } from './OperationClient.ts'
import { sendCallData } from './sendCallData.ts'

/** Sends an operation in which the account calls itself: how an owner changes the account. */
export async function callSelf(
  client: OperationClient,
  { data, ...options }: SendOptions & { data: Hex },
  method: string,
): Promise<Hex> {
  const account = accountOf(client, options, method)
  const callData = await account.encodeCalls([{ to: account.address, data }])
  return sendCallData(client, { ...options, account, callData })
}
