import {
  type Address,
  createPublicClient,
  createTestClient,
  http,
  type PublicClient,
  parseEther,
  parseGwei,
  type TestClient,
  type Transport,
} from 'viem'
import { type BundlerClient, type BundlerClientConfig, createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import type { LatchkeyAccount } from '../../../latchkey/src/accounts/types.ts'
import { defineLatchkeyDevChain } from '../../../latchkey/src/core/chains/latchkeyDev.ts'
import type { LatchkeyChain } from '../../../latchkey/src/core/chains/types.ts'
import { startTestChain, type TestChain } from '../chain.ts'
import { demo, demoAbi, type mint } from '../demoToken.ts'
import { splitTransport } from '../wallet/splitTransport.ts'
import { test } from '../worker.ts'

/** What accounts are asked to sign. */
export const message = 'hello'
export const typedData = {
  domain: { name: 'Shop', version: '1', chainId: 31337 },
  types: { Order: [{ name: 'item', type: 'string' }] },
  primaryType: 'Order',
  message: { item: 'tea' },
} as const

export type TestCall = ReturnType<typeof mint>

export const newKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** A chain with every account's contracts, and its bundler. */
export type ChainStage = {
  readonly nodeUrl: string
  readonly chainId: number
  readonly chain: LatchkeyChain
  readonly reader: PublicClient<Transport, LatchkeyChain>
  readonly tester: TestClient<'anvil'>
  /** Node and bundler as one transport, for Latchkey's own client. */
  readonly transport: Transport
  /** A viem bundler client, as anyone would make it. */
  createBundler<account extends LatchkeyAccount>(
    account: account,
    options?: Pick<BundlerClientConfig, 'paymaster'>,
  ): BundlerClient<Transport, undefined, account, PublicClient<Transport, LatchkeyChain>>
  balanceOf(holder: Address): Promise<bigint>
  /** Gives an account ether for its gas. */
  funded<account extends LatchkeyAccount>(account: account): Promise<account>
  /** Sends an operation and waits; its nonce. */
  send(account: LatchkeyAccount, calls: readonly TestCall[], key?: bigint): Promise<bigint>
}

/** The worker's chain for the tests of a file; one of its own with `isOwn`, for tests that move its time. */
export function setChain({ isOwn = false } = {}): ChainStage {
  let world: TestChain
  let chain: LatchkeyChain
  let reader: ChainStage['reader']
  const use = (given: TestChain) => {
    world = given
    chain = defineLatchkeyDevChain({ id: world.chainId, nodeUrl: world.nodeUrl })
    reader = createPublicClient({ chain, transport: http(world.nodeUrl) })
  }
  if (isOwn) {
    beforeAll(async () => use(await startTestChain({ bundler: true })))
    afterAll(() => world?.close())
  } else test.beforeAll(({ chain: shared }) => use(shared))

  const stage: ChainStage = {
    get nodeUrl() {
      return world.nodeUrl
    },
    get chainId() {
      return world.chainId
    },
    get chain() {
      return chain
    },
    get reader() {
      return reader
    },
    get tester() {
      return createTestClient({ mode: 'anvil', transport: http(world.nodeUrl) })
    },
    get transport() {
      return splitTransport(world)
    },
    createBundler(account, options = {}) {
      // Left to itself viem doubles the tip the chain names, which names a doubled one next time.
      const fees = { maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: parseGwei('1') }
      return createBundlerClient({
        account,
        client: reader,
        transport: http(world.bundlerUrl),
        pollingInterval: 50,
        userOperation: { estimateFeesPerGas: async () => fees },
        ...options,
      })
    },
    balanceOf: (holder) =>
      reader.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [holder] }),
    async funded(account) {
      await stage.tester.setBalance({ address: account.address, value: parseEther('1') })
      return account
    },
    async send(account, calls, key) {
      const bundler = stage.createBundler(account)
      const nonce = key === undefined ? {} : { nonce: await account.getNonce({ key }) }
      const hash = await bundler.sendUserOperation({ calls, ...nonce })
      const { success, nonce: used } = await bundler.waitForUserOperationReceipt({ hash })
      expect(success).toBe(true)
      // viem leaves the quantity as it came.
      return BigInt(used)
    },
  }
  return stage
}
