import { startTestChain } from '@latchkey/testkit/chain'
import { splitTransport } from '@latchkey/testkit/wallet/splitTransport'
import { startPatientBundler } from '@latchkey/testkit/wallet/startPatientBundler'
import { createPublicClient, createTestClient, http, parseEther, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'

let world: Awaited<ReturnType<typeof startTestChain>>
let bundler: Awaited<ReturnType<typeof startPatientBundler>>
beforeAll(async () => {
  world = await startTestChain({ bundler: true })
  bundler = await startPatientBundler(world.nodeUrl)
})
afterAll(async () => {
  await bundler?.close()
  await world?.close()
})

test.each(['v1.1.0', 'v2.0.0'] as const)(
  'default: what waits is replaced, and only the dearer one gets into a block (%s)',
  async (version) => {
    const chain = defineLatchkeyDevChain({ id: world.chainId, nodeUrl: world.nodeUrl })
    const transport = splitTransport({ nodeUrl: world.nodeUrl, bundlerUrl: bundler.url })
    const reader = createPublicClient({ chain, transport: http(world.nodeUrl) })
    const tester = createTestClient({ mode: 'anvil', chain, transport: http(world.nodeUrl) })
    const owner = privateKeyToAccount(generatePrivateKey())
    const account = await toLightAccount({ client: reader, owner, version })
    await tester.setBalance({ address: account.address, value: parseEther('1') })
    const client = createSmartAccountClient({ account, chain, transport })

    const target = privateKeyToAccount(generatePrivateKey()).address
    const waiting = await client.sendUserOperation({ uo: { target, data: '0x', value: 7n } })
    // A second operation of the same nonce at the same price is refused.
    await expect(client.sendUserOperation({ uo: { target, data: '0x', value: 8n } })).rejects.toMatchObject({
      code: 'USER_OPERATION_INVALID',
    })
    const { hash, request } = await client.dropAndReplaceUserOperation({ uoToDrop: waiting.request })
    expect(hash).not.toBe(waiting.hash)
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect(BigInt(request[field] ?? 0) * 10n).toBeGreaterThanOrEqual(BigInt(waiting.request[field] ?? 0) * 11n)
    }
    await bundler.bundle()
    const transactionHash = await client.waitForUserOperationTransaction({ hash })
    expect((await client.getTransactionReceipt({ hash: transactionHash })).status).toBe('success')
    expect(await reader.getBalance({ address: target })).toBe(7n)
    expect(await client.getUserOperationReceipt(waiting.hash)).toBeNull()

    // Too late: it is in a block.
    await expect(client.dropAndReplaceUserOperation({ uoToDrop: request })).rejects.toMatchObject({
      code: 'USER_OPERATION_INVALID',
      shortMessage: 'The account has been deployed since this operation was built.',
    })
    expect(await account.getImplementationAddress()).not.toBe(zeroAddress)
  },
)
