import { sepolia } from 'latchkey/chains'
import { createLightAccountAlchemyClient, LocalAccountSigner } from 'latchkey/compat'
import type { Hex } from 'viem'
export async function send(privateKey: Hex, target: Hex) {
  const signer = LocalAccountSigner.privateKeyToAccountSigner(privateKey)
  const gasManagerConfig = { policyId: 'your-policy' }
  const client = await createLightAccountAlchemyClient({ apiKey: 'YOUR_API_KEY', chain: sepolia, signer, gasManagerConfig })
  const { hash } = await client.sendUserOperation({ uo: { target, data: '0x' } })
  return client.waitForUserOperationTransaction({ hash })
}
