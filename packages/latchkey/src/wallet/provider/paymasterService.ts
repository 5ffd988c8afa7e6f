import { createClient, custom, http } from 'viem'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import type { SmartAccountClient } from '../client/types.ts'
import { erc7677Middleware } from '../middleware/erc7677.ts'
import { invalidParams, readFields } from './parameters.ts'

// Capability `paymasterService` (ERC-7677): the app selects the paymaster of the calls.

export type PaymasterService = { url: string; context: unknown }

const timeoutMs = 20_000

/** Reads the capability. Throws -32602 if the service URL is missing or unsafe. */
export function readPaymasterService(value: unknown): PaymasterService {
  const { url, context } = readFields(value, '`paymasterService`')
  if (typeof url === 'string' && isServiceUrl(url)) return { url, context: context ?? {} }
  throw invalidParams('`paymasterService.url` must be an https URL.')
}

/** Allows http only for localhost, because plain HTTP can be read and changed in transit. */
function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
}

/** Returns a client with the same account, node and bundler that uses this service as its paymaster. */
export function withPaymasterService(
  client: SmartAccountClient,
  { url, context }: PaymasterService,
): SmartAccountClient {
  const service = createClient({ transport: http(url, { retryCount: 0, timeout: timeoutMs }) })
  return createSmartAccountClient({
    account: client.smartAccount,
    chain: client.chain,
    transport: custom({ request: client.request }, { retryCount: 0 }),
    ...erc7677Middleware({ service, context }),
  })
}
