import { createSmartAccountClient, erc7677Middleware } from 'latchkey'
import { toSimple7702Account } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { createClient, custom, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Result } from './types.ts'

type Devnet = {
  chainId: number
  apiKey: string
  policyId: string
  urls: { node: string; gateway: string }
}

const versions = ['v0.8.0', 'v0.9.0'] as const

/**
 * Counts the sequential requests of a send that an ERC-7677 service sponsors, from the known gas until the bundler has
 * accepted the operation: the paymaster's signature, the address's code, the owner's signature and the send. The
 * owner's signature is a request to a service, as with the embedded signer. On EntryPoint 0.9, owner and paymaster sign
 * at the same time.
 */
export async function measureCosigning(devnet: Devnet): Promise<Result[]> {
  const results: Result[] = []
  for (const version of versions) {
    const requests = countRequests()
    const key = privateKeyToAccount(generatePrivateKey())
    const owner = { ...key, sign: (given: { hash: `0x${string}` }) => requests.run(() => key.sign(given)) }
    const gateway = `${new URL(devnet.urls.gateway).origin}/v2/${devnet.apiKey}`
    const inner = http(gateway)({})
    const transport = custom(
      {
        request: ({ method, params }) => {
          const asked = () => inner.request({ method, params } as never)
          return method === 'eth_estimateUserOperationGas' ? asked().finally(requests.reset) : requests.run(asked)
        },
      },
      { retryCount: 0 },
    )
    const chain = defineLatchkeyDevChain({ id: devnet.chainId, nodeUrl: devnet.urls.node })
    const account = await toSimple7702Account({ client: createClient({ chain, transport }), owner, version })
    const paymaster = erc7677Middleware({ context: { policyId: devnet.policyId } })
    const wallet = createSmartAccountClient({ account, chain, transport, ...paymaster })
    const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
    // The first send delegates the address, with one more signature.
    for (let count = 0; count < 2; count++) {
      const sent = await wallet.sendUserOperation({ uo })
      const value = requests.sequential()
      await wallet.waitForUserOperationTransaction(sent)
      if (count === 1) results.push({ name: `erc7677-${version.slice(1, 4)}/after-gas/sequential`, value, unit: '' })
    }
  }
  return results
}

/** Counts the longest chain of sequential requests. */
function countRequests() {
  let longest = 0
  return {
    async run<result>(request: () => Promise<result>): Promise<result> {
      const depth = longest + 1
      try {
        return await request()
      } finally {
        longest = Math.max(longest, depth)
      }
    },
    reset: () => {
      longest = 0
    },
    sequential: () => longest,
  }
}
