import { type CustomTransport, custom } from 'viem'
import type { TestGateway } from './startTestGateway.ts'

/** Creates a viem transport that calls a gateway in this process. Errors contain the gateway's code and data. */
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
