import { newKey } from '@latchkey/testkit/accounts/setChain'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { type Address, createClient, custom, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lightAccountActions } from '../accounts/lightAccount/lightAccountActions.ts'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { multiOwnerLightAccountActions } from '../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
import { toMultiOwnerLightAccount } from '../accounts/multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { LatchkeyAccount } from '../accounts/types.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway?.close())

function throughGateway() {
  const chain = defineLatchkeyDevChain({ id: gateway.chainId })
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    const { result, error } = await gateway.ask(method, params ?? [])
    if (error) throw Object.assign(new TypeError(error.message), error)
    return result
  }
  const transport = custom({ request }, { retryCount: 0 })
  return { chain, transport, client: createClient({ chain, transport }) }
}

function clientOf<account extends LatchkeyAccount>(account: account) {
  const { chain, transport } = throughGateway()
  return createSmartAccountClient({ account, chain, transport, gasManagerConfig: { policyId: 'default' } })
}

const balanceOf = (address: Address) =>
  gateway.client.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })

/** Deploys and mints twice in one, then does so under another nonce key: neither costs the account anything. */
async function sendTwice(client: ReturnType<typeof clientOf>): Promise<void> {
  const { address } = client.smartAccount
  const call = { target: demo, data: mint(address, 5n).data }
  for (const nonceKey of [0n, 7n]) {
    const { hash } = await client.sendUserOperation({ uo: [call, call], overrides: { nonceKey } })
    await client.waitForUserOperationTransaction({ hash })
    const receipt = await client.getUserOperationReceipt(hash)
    expect(receipt?.success).toBe(true)
    expect(receipt?.paymaster).not.toBe(zeroAddress)
  }
  expect(await client.smartAccount.getNonce({ key: 7n })).toBe((7n << 64n) + 1n)
  expect(await balanceOf(address)).toBe(20n)
  expect(await gateway.client.getBalance({ address })).toBe(0n)
}

test.each(['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const)(
  'default: LightAccount %s is deployed, used and given away, all of it sponsored',
  async (version) => {
    const client = clientOf(await toLightAccount({ client: throughGateway().client, owner: newKey(), version }))
    await sendTwice(client)
    const newOwner = newKey()
    const actions = lightAccountActions(client)
    await actions.transferOwnership({ newOwner, waitForTxn: true })
    expect(await actions.readOwner()).toBe(newOwner.address)
    await expect(actions.transferOwnership({ newOwner: newKey() })).rejects.toThrow(/signature/i)
    expect(await gateway.client.getBalance(client.smartAccount)).toBe(0n)
  },
)

test('default: MultiOwnerLightAccount v2.0.0 is deployed, used and shared, all of it sponsored', async () => {
  const owner = newKey()
  const client = clientOf(await toMultiOwnerLightAccount({ client: throughGateway().client, owner }))
  await sendTwice(client)
  const other = newKey().address
  const actions = multiOwnerLightAccountActions(client)
  await actions.updateOwners({ ownersToAdd: [other], waitForTxn: true })
  expect([...(await actions.readOwners())].sort()).toEqual([owner.address, other].sort())
})

test('error: what the contract refuses is said by name through the gateway, too', async () => {
  const owner = newKey()
  const client = clientOf(await toMultiOwnerLightAccount({ client: throughGateway().client, owner }))
  const refused = multiOwnerLightAccountActions(client).updateOwners({ ownersToRemove: [newKey().address] })
  await expect(refused).rejects.toMatchObject({
    code: 'CONTRACT_REVERTED',
    shortMessage: expect.stringContaining('OwnerDoesNotExist'),
  })
})
