import { createLightAccount } from '@alchemy/aa-accounts'
import { createLightAccountAlchemyClient, createModularAccountAlchemyClient } from '@alchemy/aa-alchemy'
import { LocalAccountSigner, type SmartAccountSigner, sepolia } from '@alchemy/aa-core'
import { type Hex, http } from 'viem'

export async function send(privateKey: Hex, target: Hex): Promise<Hex> {
  const signer: SmartAccountSigner = LocalAccountSigner.privateKeyToAccountSigner(privateKey)
  const gasManagerConfig = { policyId: 'default' }
  const client = await createLightAccountAlchemyClient({ apiKey: 'key', chain: sepolia, signer, gasManagerConfig })
  const { hash } = await client.sendUserOperation({ uo: { target, data: '0x' } })
  return client.waitForUserOperationTransaction({ hash })
}

export async function findAddresses(privateKey: Hex): Promise<string[]> {
  const signer = LocalAccountSigner.privateKeyToAccountSigner(privateKey)
  const account = await createLightAccount({ chain: sepolia, transport: http('https://rpc.example.com'), signer })
  const modular = await createModularAccountAlchemyClient({ apiKey: 'key', chain: sepolia, signer })
  return [account.address, modular.account.address]
}
