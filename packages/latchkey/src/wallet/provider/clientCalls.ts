import { type Address, type Hex, numberToHex } from 'viem'
import type { SmartAccountClient } from '../client/types.ts'
import { toCallData } from '../userOperation/toPlainInput.ts'
import type { AnyCall, CheckedCalls } from '../userOperation/types.ts'
import { createProvider } from './createProvider.ts'

export type SentCall = { to: Address; data?: Hex | undefined; value?: bigint | undefined }

export type SendCallsParameters<calls = readonly AnyCall<SentCall>[]> = {
  /**
   * Calls with `to` and `data`, or with `to`, `abi`, `functionName` and `args`. All calls are sent as one atomic
   * operation.
   */
  calls: CheckedCalls<calls, SentCall>
  /** EIP-5792 capabilities, such as `{ paymasterService: { url } }`. */
  capabilities?: Readonly<Record<string, unknown>> | undefined
}
/** `id`: call id, valid for `wallet_getCallsStatus` of any Latchkey provider. */
export type SendCallsResult = { id: string }
/** `status`: 100 is pending, 200 is in a block, 500 is in a block and reverted. */
export type CallsStatus = { status: number; transactionHash?: Hex | undefined }

export async function sendCalls(
  client: SmartAccountClient,
  { calls, capabilities }: SendCallsParameters,
): Promise<SendCallsResult> {
  const sent = await request(client, 'wallet_sendCalls', {
    version: '2.0.0',
    from: client.account.address,
    chainId: numberToHex(client.chain.id),
    atomicRequired: true,
    calls: calls.map(toWire),
    ...(capabilities && { capabilities }),
  })
  return sent as SendCallsResult
}

function toWire(call: AnyCall<SentCall>) {
  const { to, value } = call
  return { to, data: toCallData(call), ...(value !== undefined && { value: numberToHex(value) }) }
}

export async function getCallsStatus(client: SmartAccountClient, id: string): Promise<CallsStatus> {
  const { status, receipts } = (await request(client, 'wallet_getCallsStatus', id)) as {
    status: number
    receipts?: readonly { transactionHash: Hex }[]
  }
  return { status, transactionHash: receipts?.[0]?.transactionHash }
}

async function request(client: SmartAccountClient, method: string, parameter: unknown): Promise<unknown> {
  const provider = createProvider({ client })
  try {
    return await provider.request({ method, params: [parameter] })
  } finally {
    provider.destroy()
  }
}
