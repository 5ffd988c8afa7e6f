import { LocalAccountSigner } from '@aa-sdk/core'
import { alchemy, createAlchemySmartAccountClient, defineAlchemyChain } from '@account-kit/infra'
import { createLightAccount } from '@account-kit/smart-contracts'
import { createSmartWalletClient } from '@account-kit/wallet-client'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { defineChain } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Connects Account Kit 4.88.5 to Latchkey's gateway: its wallet API client and its own account clients.

const target = '0x00000000000000000000000000000000000000aa'
const policyId = 'default'

let gateway: TestGateway
let server: Awaited<ReturnType<TestGateway['serve']>>
let base: string
beforeAll(async () => {
  gateway = await startTestGateway()
  server = await gateway.serve()
  base = new URL(server.url).origin
})
afterAll(async () => {
  await server?.close()
  await gateway?.close()
})

function connect() {
  const rpcUrl = `${base}/${gateway.chainId}/v2`
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const own = defineChain({
    id: gateway.chainId,
    name: 'Test',
    nativeCurrency,
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const chain = defineAlchemyChain({ chain: own, rpcBaseUrl: rpcUrl })
  const transport = alchemy({ rpcUrl, chainAgnosticUrl: `${base}/v2`, jwt: gateway.apiKey })
  return { chain, transport, signer: LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey()) }
}

test.each([undefined, 'la-v2', 'la-v1.1.0', 'la-v2-multi-owner', 'ma-v1-multi-owner', 'sma-b', '7702'] as const)(
  'requests an account of type %s, sends sponsored calls and signs',
  async (accountType) => {
    const { chain, transport, signer } = connect()
    const client = createSmartWalletClient({ chain, transport, signer, policyId })
    const more = accountType !== '7702' && { createAdditional: true }
    const hint = accountType && { creationHint: { accountType, ...more } }
    const account = await client.requestAccount(hint as never)
    const from = account.address
    const { id } = await client.sendCalls({ from, calls: [{ to: target, data: '0x' }] })
    const status = await client.waitForCallsStatus({ id })
    expect(status).toMatchObject({ status: 'success', statusCode: 200, receipts: [{ status: 'success' }] })

    // After a reload, a client has only the account's address.
    const again = createSmartWalletClient({ chain, transport, signer, account: from })
    expect((await again.requestAccount()).address).toBe(from)
    expect((await again.listAccounts({ signerAddress: await signer.getAddress() })).accounts).toHaveLength(
      // An EIP-7702 account is the signer's own address, which the server does not store.
      accountType === '7702' ? 0 : 1,
    )
    // Account Kit's modular account signs messages only on chains in its plugin table.
    if (accountType === 'ma-v1-multi-owner') return
    const signature = await again.signMessage({ message: 'hello' })
    expect(await gateway.client.verifyMessage({ address: from, message: 'hello', signature })).toBe(true)
  },
)

test('sends a sponsored operation of a hand-made account with its trace headers', async () => {
  const { chain, transport, signer } = connect()
  const account = await createLightAccount({ chain, transport: transport as never, signer, version: 'v2.0.0' })
  const client = createAlchemySmartAccountClient({ chain, transport, account, policyId })
  const { hash } = await client.sendUserOperation({ uo: { target, data: '0x' } })
  expect(await client.waitForUserOperationTransaction({ hash })).toMatch(/^0x[0-9a-f]{64}$/)
})

test('names an account type that is not served', async () => {
  const { chain, transport, signer } = connect()
  const client = createSmartWalletClient({ chain, transport, signer, policyId })
  await expect(client.requestAccount({ creationHint: { accountType: 'ma-v3' } } as never)).rejects.toThrow(/ma-v3/)
})
