import { type Address, createPublicClient, createTestClient, encodeFunctionData, hashMessage, http, parseAbi, parseEther, zeroAddress } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestChain } from '../../../../test/chain.ts'
import { latchkeyDevChain } from '../core/chains/latchkeyDevChain.ts'
import { lightAccountActions } from './actions/lightAccountActions.ts'
import { multiOwnerLightAccountActions } from './actions/multiOwnerLightAccountActions.ts'
import { getSenderAddress } from './getSenderAddress.ts'
import { toLightAccount } from './lightAccount/toLightAccount.ts'
import { lightAccountVersions } from './lightAccount/versions.ts'
import { toMultiOwnerLightAccount } from './multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { OwnerParameter } from './owner.ts'

const demo: Address = '0xde300000000000000000000000000000000000Df'
const demoAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
])

let world: Awaited<ReturnType<typeof startTestChain>>
beforeAll(async () => {
  world = await startTestChain()
})
afterAll(() => world.close())

function reader() {
  const chain = latchkeyDevChain({ id: world.chainId, nodeUrl: world.nodeUrl })
  return createPublicClient({ chain, transport: http(world.nodeUrl) })
}
async function fund(address: Address) {
  const client = createTestClient({ mode: 'anvil', transport: http(world.nodeUrl) })
  await client.setBalance({ address, value: parseEther('1') })
}
const mint = (to: Address, value: bigint) =>
  ({ to: demo, data: encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [to, value] }) }) as const
const balanceOf = (address: Address) =>
  reader().readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })
const newKey = () => privateKeyToAccount(generatePrivateKey())

test('light', async () => {
  for (const version of lightAccountVersions) {
    const owner: OwnerParameter = newKey()
    const client = reader()
    const account = await toLightAccount({ client, owner, version })
    await fund(account.address)
    const bundler = createBundlerClient({ account, client, transport: http(world.bundlerUrl), userOperation: { estimateFeesPerGas: async () => ({ maxFeePerGas: parseEther('0.000000003'), maxPriorityFeePerGas: parseEther('0.000000001') }) } }).extend(lightAccountActions)
    const hash = await bundler.sendUserOperation({ calls: [mint(account.address, 4n)] })
    const receipt = await bundler.waitForUserOperationReceipt({ hash })
    expect(receipt.success).toBe(true)
    expect(await balanceOf(account.address)).toBe(4n)
    await bundler.transferOwnership({ newOwner: newKey(), waitForTxn: true })
  }
})
