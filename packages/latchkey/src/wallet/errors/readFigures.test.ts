import { recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import { expect, test } from 'vitest'

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const

test.each(['v1.1.0', 'v2.0.0'] as const)(
  '%s: names what an operation needs when its estimate is refused',
  async (version) => {
    const { client } = await recordedClient({
      version,
      // Behaves like a bundler for an account without ether. A state override gives the account ether.
      reply: ({ method, params }) => {
        if (method === 'eth_getBalance') return { result: '0x7' }
        return method === 'eth_estimateUserOperationGas' && params.length < 3
          ? { error: { code: -32500, message: "AA21 didn't pay prefund" } }
          : undefined
      },
    })
    await expect(client.sendUserOperation({ uo })).rejects.toMatchObject({
      failure: 'AA21',
      message: expect.stringMatching(/The operation needs up to 0\.000\d+ ETH\./),
    })
  },
)
