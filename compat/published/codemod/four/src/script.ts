import { LocalAccountSigner } from '@aa-sdk/core'
import { createAccount, getSmartAccountClient, watchAccount } from '@account-kit/core'
import { alchemy, sepolia } from '@account-kit/infra'
import {
  createLightAccountAlchemyClient,
  createMultiOwnerLightAccountAlchemyClient,
} from '@account-kit/smart-contracts'
import type { Hex } from 'viem'
import { config } from './config.ts'

export async function send(privateKey: Hex, target: Hex, policyId: string): Promise<Hex> {
  const signer = LocalAccountSigner.privateKeyToAccountSigner(privateKey)
  const client = await createLightAccountAlchemyClient({
    transport: alchemy({ apiKey: 'key' }),
    chain: sepolia,
    signer,
    policyId,
  })
  const several = await createMultiOwnerLightAccountAlchemyClient({
    transport: alchemy({ apiKey: 'key' }),
    chain: sepolia,
    signer,
  })
  const { hash } = await client.sendUserOperation({ uo: { target, data: '0x' } })
  return several.waitForUserOperationTransaction({ hash })
}

export async function start(): Promise<unknown> {
  watchAccount('LightAccount', config)(console.log)
  await createAccount({ type: 'LightAccount' }, config)
  return getSmartAccountClient({ type: 'LightAccount' }, config)
}
