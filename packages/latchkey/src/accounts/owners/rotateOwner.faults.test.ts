import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { createPublicClient, http, type PublicClient, parseEther, parseGwei, type Transport } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineLatchkeyDevChain } from '../../core/chains/latchkeyDev.ts'
import type { LatchkeyChain } from '../../core/chains/types.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { OwnerParameter } from '../owner.ts'
import type { LatchkeyAccount } from '../types.ts'
import { readAccountOwners } from './readAccountOwners.ts'
import { type RotationProgress, rotateOwner } from './rotateOwner.ts'

const stage = setChain()
let second: TestChain
let secondReader: PublicClient<Transport, LatchkeyChain>
beforeAll(async () => {
  second = await startTestChain({ chainId: 31338, bundler: true })
  const chain = defineLatchkeyDevChain({ id: second.chainId, nodeUrl: second.nodeUrl })
  secondReader = createPublicClient({ chain, transport: http(second.nodeUrl) })
})
afterAll(() => second?.close())

const fees = { maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: parseGwei('1') }

function connect(account: LatchkeyAccount) {
  if (account.client.chain?.id === stage.chainId) return stage.createBundler(account)
  return createBundlerClient({
    account,
    client: secondReader,
    transport: http(second.bundlerUrl, { retryCount: 0 }),
    pollingInterval: 50,
    userOperation: { estimateFeesPerGas: async () => fees },
  })
}

async function openBoth(owner: OwnerParameter): Promise<[LatchkeyAccount, LatchkeyAccount]> {
  const here = await stage.funded(await toMultiOwnerLightAccount({ client: stage.reader, owner }))
  const there = await toMultiOwnerLightAccount({ client: secondReader, owner })
  await second.request('anvil_setBalance', [there.address, `0x${parseEther('1').toString(16)}`])
  expect(there.address).toBe(here.address)
  return [here, there]
}

const kindsOf = async (account: LatchkeyAccount) =>
  (await readAccountOwners({ account })).owners.map(({ kind }) => kind).sort()

test('removes nothing while one chain does not respond, and continues afterwards', async () => {
  const accounts = await openBoth(newKey())
  const rotation = { accounts, to: newPasskey(), keep: [], connect, allowSinglePasskey: true }
  await second.killBundler()
  await expect(rotateOwner(rotation)).rejects.toThrow()
  expect(await Promise.all(accounts.map(kindsOf))).toEqual([['key', 'passkey'], ['key']])
  await second.startBundlerAgain()
  const results = await rotateOwner(rotation)
  expect(results.map(({ chainId, owners }) => [chainId, owners.map(({ kind }) => kind)])).toEqual([
    [stage.chainId, ['passkey']],
    [second.chainId, ['passkey']],
  ])
})

test('continues after an interruption at any step', async () => {
  const events = 2 * 2 * 3
  for (let left = 1; left <= events; left++) {
    const accounts = await openBoth(newKey())
    const rotation = { accounts, to: newKey(), keep: [], connect }
    const seen: RotationProgress[] = []
    const onProgress = (progress: RotationProgress) => {
      seen.push(progress)
      if (seen.length === left) throw new RangeError('The page was closed.')
    }
    await expect(rotateOwner({ ...rotation, onProgress })).rejects.toThrow('The page was closed.')
    const owners = await Promise.all(accounts.map(async (account) => (await readAccountOwners({ account })).owners))
    const isAnyProven = seen.some(({ step, state }) => step === 'remove' && state === 'done')
    expect(owners.some((each) => each.every(({ address }) => address === rotation.to.address))).toBe(isAnyProven)
    for (const { owners } of await rotateOwner(rotation))
      expect(owners).toMatchObject([{ kind: 'key', address: rotation.to.address }])
  }
})

test('ends in the same state when two tabs run it at once', async () => {
  const accounts = await openBoth(newKey())
  const to = newKey()
  const runs = await Promise.allSettled([1, 2].map(() => rotateOwner({ accounts, to, keep: [], connect })))
  expect(runs.some(({ status }) => status === 'fulfilled')).toBe(true)
  for (const account of accounts)
    expect((await readAccountOwners({ account })).owners).toMatchObject([{ address: to.address }])
})
