import { type Address, type Hex, numberToHex } from 'viem'
import type { SmartAccountClient } from '../client/types.ts'
import { createProvider } from './createProvider.ts'

export type SendCallsParameters = {
  /** All or none of them happen: they are one operation. */
  calls: readonly { to: Address; data?: Hex | undefined; value?: bigint | undefined }[]
  /** As EIP-5792 has them, such as `{ paymasterService: { url } }`. */
  capabilities?: Readonly<Record<string, unknown>> | undefined
}
/** `id`: what `wallet_getCallsStatus` of any of our providers reads. */
export type SendCallsResult = { id: string }
/** `status`: 100 waits, 200 is in a block, 500 is in a block and reverted. */
export type CallsStatus = { status: number; transactionHash?: Hex | undefined }

/** `wallet_sendCalls` by a client. */
export async function sendCalls(
  client: SmartAccountClient,
  { calls, capabilities }: SendCallsParameters,
): Promise<SendCallsResult> {
  const sent = await request(client, 'wallet_sendCalls', {
    version: '2.0.0',
    from: client.account.address,
    chainId: numberToHex(client.chain.id),
    atomicRequired: true,
    calls: calls.map(({ to, data, value }) => ({
      to,
      ...(data !== undefined && { data }),
      ...(value !== undefined && { value: numberToHex(value) }),
    })),
    ...(capabilities && { capabilities }),
  })
  return sent as SendCallsResult
}

/** `wallet_getCallsStatus` by a client. */
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
