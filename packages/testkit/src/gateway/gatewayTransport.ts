import { type CustomTransport, custom } from 'viem'
import type { TestGateway } from './startTestGateway.ts'

/** Returns a transport of viem that asks a gateway in this process; errors keep the gateway's code and data. */
export function gatewayTransport(gateway: Pick<TestGateway, 'ask'>): CustomTransport {
  return custom(
    {
      async request({ method, params }) {
        const { result, error } = await gateway.ask(method, params ?? [])
        if (error) throw Object.assign(new TypeError(error.message), error)
        return result
      },
    },
    { retryCount: 0 },
  )
}
