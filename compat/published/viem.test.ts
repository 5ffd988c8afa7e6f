import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { TurnkeyClient } from '@turnkey/http'
import { createAccount } from '@turnkey/viem'
import {
  createWalletClient,
  type Hex,
  http,
  parseTransaction,
  recoverTransactionAddress,
  verifyMessage,
  verifyTypedData,
} from 'viem'
import { anvil } from 'viem/chains'
import { recoverAuthorizationAddress } from 'viem/utils'
import { expect } from 'vitest'
import type { CustodyServer } from './startCustodyServer.ts'
import { test } from './worker.ts'

let custody: CustodyServer
test.beforeAll(({ custodyServer }) => {
  custody = custodyServer
})

const to = `0x${'11'.repeat(20)}` as const
/** SemiModularAccount7702. Custody signs delegations only to known accounts. */
const delegate = '0x69007702764179f14F51cdce752f4f775d74E139'

test('signs everything viem requests with an account of @turnkey/viem', async () => {
  const user = await custody.createUser()
  const stamper = new ApiKeyStamper({ apiPublicKey: user.key.publicKey, apiPrivateKey: user.key.privateKey })
  const client = new TurnkeyClient({ baseUrl: custody.url }, stamper)
  const account = await createAccount({ client, organizationId: user.orgId, signWith: user.address })
  const address = user.address as Hex
  expect(account.address).toBe(address)
  const message = { raw: '0x1234' } as const
  expect(await verifyMessage({ address, message, signature: await account.signMessage({ message }) })).toBe(true)
  const typedData = {
    domain: { name: 'Test', chainId: anvil.id },
    types: { Mail: [{ name: 'to', type: 'address' }] },
    primaryType: 'Mail',
    message: { to },
  } as const
  // Never used, because everything is signed locally.
  const wallet = createWalletClient({ account, chain: anvil, transport: http(custody.url) })
  const signature = await wallet.signTypedData(typedData)
  expect(await verifyTypedData({ ...typedData, address, signature })).toBe(true)
  const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }
  const base = { chainId: anvil.id, to, nonce: 1, gas: 21_000n, value: 1n } as const
  const authorization = await account.signAuthorization?.({ address: delegate, chainId: anvil.id, nonce: 3 })
  if (!authorization) throw new TypeError('no authorization')
  expect(await recoverAuthorizationAddress({ authorization })).toBe(address)
  for (const transaction of [
    { ...base, type: 'legacy', gasPrice: 1n },
    { ...base, type: 'eip2930', gasPrice: 1n, accessList: [] },
    { ...base, type: 'eip1559', ...fees },
    { ...base, type: 'eip7702', ...fees, authorizationList: [authorization] },
  ] as const) {
    const serializedTransaction = (await account.signTransaction(transaction as never)) as `0x02${string}`
    expect(await recoverTransactionAddress({ serializedTransaction }), transaction.type).toBe(address)
    expect(parseTransaction(serializedTransaction)).toMatchObject({ to, nonce: 1 })
  }
})
