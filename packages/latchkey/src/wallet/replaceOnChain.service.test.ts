import { setBundlers } from '@latchkey/testkit/wallet/setBundlers'
import { splitTransport } from '@latchkey/testkit/wallet/splitTransport'
import { createPublicClient, createTestClient, http, parseEther, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'

const stage = setBundlers()

test.each(['v1.1.0', 'v2.0.0'] as const)('includes only the replacement of an operation (%s)', async (version) => {
  const chain = defineLatchkeyDevChain({ id: stage.devnet.chainId, nodeUrl: stage.devnet.nodeUrl })
  const transport = splitTransport({ nodeUrl: stage.devnet.nodeUrl, bundlerUrl: stage.bundler.url })
  const reader = createPublicClient({ chain, transport: http(stage.devnet.nodeUrl) })
  const tester = createTestClient({ mode: 'anvil', chain, transport: http(stage.devnet.nodeUrl) })
  const owner = privateKeyToAccount(generatePrivateKey())
  const account = await toLightAccount({ client: reader, owner, version })
  await tester.setBalance({ address: account.address, value: parseEther('1') })
  const client = createSmartAccountClient({ account, chain, transport })

  const target = privateKeyToAccount(generatePrivateKey()).address
  const waiting = await client.sendUserOperation({ uo: { target, data: '0x', value: 7n } })
  // The refusal names the price, not the nonce.
  await expect(client.sendUserOperation({ uo: { target, data: '0x', value: 8n } })).rejects.toMatchObject({
    code: 'USER_OPERATION_INVALID',
    failure: undefined,
    shortMessage: 'An operation with the same nonce waits already, and this one does not pay enough to take its place.',
    message: expect.stringContaining('`dropAndReplaceUserOperation`: both fees must be ten per cent higher'),
  })
  const { hash, request } = await client.dropAndReplaceUserOperation({ uoToDrop: waiting.request })
  expect(hash).not.toBe(waiting.hash)
  for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    expect(BigInt(request[field] ?? 0) * 10n).toBeGreaterThanOrEqual(BigInt(waiting.request[field] ?? 0) * 11n)
  }
  await stage.bundler.bundle()
  const transactionHash = await client.waitForUserOperationTransaction({ hash })
  expect((await client.getTransactionReceipt({ hash: transactionHash })).status).toBe('success')
  expect(await reader.getBalance({ address: target })).toBe(7n)
  expect(await client.getUserOperationReceipt(waiting.hash)).toBeNull()

  // The operation is included already.
  await expect(client.dropAndReplaceUserOperation({ uoToDrop: request })).rejects.toMatchObject({
    code: 'USER_OPERATION_INVALID',
    shortMessage: 'The account has been deployed since this operation was built.',
  })
  expect(await account.getImplementationAddress()).not.toBe(zeroAddress)
})
