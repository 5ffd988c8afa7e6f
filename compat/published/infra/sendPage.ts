import { LocalAccountSigner } from '@aa-sdk/core'
import { alchemy, defineAlchemyChain, sepolia } from '@account-kit/infra'
import { createLightAccountClient } from '@account-kit/smart-contracts'
import { generatePrivateKey } from 'viem/accounts'
import { exposeSend } from '../../../bench/exposeSend.ts'

// Does the same as `bench/sendPage.ts` with a later published client.

const settings = new URLSearchParams(globalThis.location.search)
const rpcUrl = settings.get('rpcUrl') ?? ''
const client = await createLightAccountClient({
  transport: alchemy({ rpcUrl }),
  chain: defineAlchemyChain({ chain: sepolia, rpcBaseUrl: rpcUrl }),
  signer: LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey()),
  version: 'v1.1.0',
  policyId: settings.get('policyId') ?? '',
})

exposeSend(client)
