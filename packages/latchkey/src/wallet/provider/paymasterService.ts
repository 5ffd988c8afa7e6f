import { type Client, createClient, custom, http, numberToHex } from 'viem'
import { gatewayMethods } from '../../wire/gateway.ts'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import type { SmartAccountClient } from '../client/types.ts'
import { getFormat } from '../entryPoint/formats.ts'
import type { Middleware, MiddlewareContext } from '../middleware/types.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { settleDraft, toRequest } from '../userOperation/states.ts'
import type { SettledDraft } from '../userOperation/types.ts'
import { invalidParams, readFields } from './parameters.ts'

// The capability `paymasterService` (ERC-7677): the app names who pays for the calls.

export type PaymasterService = { url: string; context: unknown }

const action = 'The paymaster service of the app did not pay.'
const timeoutMs = 20_000

/** Throws -32602 where there is no URL of a service that can be reached safely. */
export function readPaymasterService(value: unknown): PaymasterService {
  const { url, context } = readFields(value, '`paymasterService`')
  if (typeof url === 'string' && isServiceUrl(url)) return { url, context: context ?? {} }
  throw invalidParams('`paymasterService.url` must be an https URL.')
}

/** Plain HTTP is read and changed on the way, so it is for this machine only. */
function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
}

/** The same account over the same node and bundler, with this service as its paymaster. */
export function withPaymasterService(
  client: SmartAccountClient,
  { url, context }: PaymasterService,
): SmartAccountClient {
  const service = createClient({ transport: http(url, { retryCount: 0, timeout: timeoutMs }) })
  return createSmartAccountClient({
    account: client.smartAccount,
    chain: client.chain,
    transport: custom({ request: client.request }, { retryCount: 0 }),
    paymasterAndData: {
      dummyPaymasterAndData: askService(service, context, gatewayMethods.getPaymasterStubData),
      paymasterAndData: askService(service, context, gatewayMethods.getPaymasterData),
    },
  })
}

function askService(service: Client, context: unknown, method: string): Middleware {
  return async (draft, { account, client }: MiddlewareContext) => {
    const format = getFormat(account)
    const settled = await settleDraft(draft)
    // A stub is asked for before gas and fees are known (ERC-7677 § pm_getPaymasterStubData).
    const unknown: SettledDraft = Object.fromEntries(format.gasFields.map((field) => [field, 0n]))
    const operation = toRequest({ ...unknown, ...settled })
    const params = [operation, account.entryPoint.address, numberToHex(client.chain.id), context]
    const reply = readObject(await rpc(service, { method, params, action }), action)
    const limits = format.paymasterGasFields.filter((field) => reply[field] !== undefined)
    const gas: SettledDraft = Object.fromEntries(limits.map((field) => [field, readQuantity(reply[field], action)]))
    return { ...settled, ...format.readPaymasterFields(reply, action), ...gas }
  }
}
