import { createLightAccountAlchemyClient } from '@alchemy/aa-alchemy'
import { LocalAccountSigner, sepolia } from '@alchemy/aa-core'
import { generatePrivateKey } from 'viem/accounts'
import { exposeSend } from '../../bench/exposeSend.ts'

// Does the same as `bench/sendPage.ts` with the published client.

const settings = new URLSearchParams(globalThis.location.search)
const client = await createLightAccountAlchemyClient({
  rpcUrl: settings.get('rpcUrl') ?? '',
  chain: sepolia,
  signer: LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey()),
  gasManagerConfig: { policyId: settings.get('policyId') ?? '' },
})

exposeSend(client)
