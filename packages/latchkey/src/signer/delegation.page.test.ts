import { devnetTabs } from '@latchkey/testkit/signer/devnetTabs'
import { type Address, createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { toModularAccountV2 } from '../accounts/modularAccountV2/toModularAccountV2.ts'
import type { SmartAccountOwner } from '../accounts/owner.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import { createSmartAccountClient } from '../wallet/client/createSmartAccountClient.ts'

// Custody tests cover the rules. This test covers an operation that waits until the user confirms the EIP-7702
// delegation.

const tabs = devnetTabs()

test('sends from the key’s own address once the user confirms its new code', async () => {
  const { devnet } = tabs
  const { opened, email } = await tabs.signIn()
  const address = await opened.evaluate(() => window.page.signer.user?.address as Address)
  const owner: SmartAccountOwner = {
    signerType: 'alchemy-signer',
    getAddress: async () => address,
    signMessage: () => Promise.reject(new TypeError('no message is signed')),
    signTypedData: () => Promise.reject(new TypeError('no typed data is signed')),
    signUserOperation: (given) =>
      opened.evaluate((operation) => window.page.signer.signUserOperation(operation), given),
    signAuthorization: (given) =>
      opened.evaluate(async (request) => {
        const account = window.page.signer.toViemAccount()
        if (!account.signAuthorization) throw new TypeError('the account signs no authorizations')
        return account.signAuthorization(request)
      }, given),
  }
  const { node: nodeUrl, gateway: gatewayUrl } = devnet.urls
  const chain = defineLatchkeyDevChain({ id: devnet.chainId, nodeUrl, gatewayUrl })
  const reader = createPublicClient({ chain, transport: http(nodeUrl) })
  const account = await toModularAccountV2({ client: reader, owner, mode: '7702' })
  expect(account.address).toBe(address)
  const gasManagerConfig = { policyId: devnet.policyId }
  const client = createSmartAccountClient({ account, apiKey: devnet.apiKey, gasManagerConfig })
  const uo = { target: '0x00000000000000000000000000000000000000aa', data: '0x' } as const

  const sending = client.sendUserOperation({ uo })
  await opened.waitForFunction(() => window.page.signer.confirmation?.action === 'change-code')
  expect(await tabs.confirm(email)).toBe("Change your account's code?")
  const first = await sending
  await client.waitForUserOperationTransaction(first)
  expect(await reader.getCode({ address })).toBe('0xef010069007702764179f14f51cdce752f4f775d74e139')

  await client.waitForUserOperationTransaction(await client.sendUserOperation({ uo }))
})
