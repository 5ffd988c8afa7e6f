import { alchemy, createAlchemySmartAccountClient, defineAlchemyChain } from '@account-kit/infra'
import { AlchemyWebSigner } from '@account-kit/signer'
import { createLightAccount } from '@account-kit/smart-contracts'
import { createSmartWalletClient } from '@account-kit/wallet-client'
// biome-ignore lint/style/useNodejsImportProtocol: the package of that name, for browsers.
import { Buffer } from 'buffer'
import { defineChain } from 'viem'

// Follows Account Kit's documentation. Contains no URLs of Latchkey except the test chain's.

declare global {
  interface Window {
    accountKit: typeof accountKit
  }
}

Object.assign(globalThis, { Buffer })
type Config = { rootOrgId: string; chainId: number; apiKey: string }
const config = JSON.parse(document.getElementById('config')?.textContent ?? '{}') as Config

const signer = new AlchemyWebSigner({
  client: {
    connection: { apiKey: config.apiKey },
    iframeConfig: { iframeContainerId: 'alchemy-signer-iframe-container' },
    rootOrgId: config.rootOrgId,
  },
})
const statuses: string[] = []
signer.on('statusChanged', (status) => statuses.push(status))

const rpcUrl = 'https://test.g.alchemy.com/v2'
const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
const own = defineChain({ id: config.chainId, name: 'Test', nativeCurrency, rpcUrls: { default: { http: [rpcUrl] } } })
const chain = defineAlchemyChain({ chain: own, rpcBaseUrl: rpcUrl })
const transport = alchemy({ apiKey: config.apiKey })
const policyId = 'default'
const target = '0x00000000000000000000000000000000000000aa'

async function sendCalls() {
  const client = createSmartWalletClient({ chain, transport, signer, policyId })
  const { address } = await client.requestAccount()
  const { id } = await client.sendCalls({ from: address, calls: [{ to: target, data: '0x' }] })
  const status = await client.waitForCallsStatus({ id })
  const again = createSmartWalletClient({ chain, transport, signer, account: address })
  return { address, statusCode: status.statusCode, signature: await again.signMessage({ message: 'hello' }) }
}

async function sendOperation() {
  const account = await createLightAccount({ chain, transport: transport as never, signer, version: 'v2.0.0' })
  const client = createAlchemySmartAccountClient({ chain, transport, account, policyId })
  const { hash } = await client.sendUserOperation({ uo: { target, data: '0x' } })
  return client.waitForUserOperationTransaction({ hash })
}

const accountKit = { signer, statuses, sendCalls, sendOperation }
window.accountKit = accountKit
