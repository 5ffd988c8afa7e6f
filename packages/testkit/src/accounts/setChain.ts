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

export const message = 'hello'
export const typedData = {
  domain: { name: 'Shop', version: '1', chainId: 31337 },
  types: { Order: [{ name: 'item', type: 'string' }] },
  primaryType: 'Order',
  message: { item: 'tea' },
} as const

export const newKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/**
 * Provides the worker's chain and bundler to the tests of a file. With `isOwn`, starts a separate chain whose clock may
 * be changed. With `hardfork`, starts a separate chain with older rules.
 */
export function setChain({ isOwn = false, hardfork }: { isOwn?: boolean; hardfork?: string } = {}) {
  let devnet: TestChain
  let chain: LatchkeyChain
  let reader: PublicClient<Transport, LatchkeyChain>
  const use = (given: TestChain) => {
    devnet = given
    chain = defineLatchkeyDevChain({ id: devnet.chainId, nodeUrl: devnet.nodeUrl })
    reader = createPublicClient({ chain, transport: http(devnet.nodeUrl) })
  }
  if (isOwn || hardfork) {
    beforeAll(async () => use(await startTestChain({ bundler: true, hardfork })))
    afterAll(() => devnet?.close())
  } else test.beforeAll(({ chain: shared }) => use(shared))

  const stage = {
    get nodeUrl() {
      return devnet.nodeUrl
    },
    get chainId() {
      return devnet.chainId
    },
    get chain(): LatchkeyChain {
      return chain
    },
    get reader(): PublicClient<Transport, LatchkeyChain> {
      return reader
    },
    get tester(): TestClient<'anvil'> {
      return createTestClient({ mode: 'anvil', transport: http(devnet.nodeUrl) })
    },
    /** Transport that sends to node and bundler, for Latchkey's client. */
    get transport(): Transport {
      return splitTransport(devnet)
    },
    createBundler<account extends LatchkeyAccount>(
      account: account,
      options: Pick<BundlerClientConfig, 'paymaster'> = {},
    ): BundlerClient<Transport, undefined, account, PublicClient<Transport, LatchkeyChain>> {
      // viem would double the chain's priority fee, which the chain would then suggest for later operations.
      const fees = { maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: parseGwei('1') }
      return createBundlerClient({
        account,
        client: reader,
        transport: http(devnet.bundlerUrl),
        pollingInterval: 50,
        userOperation: { estimateFeesPerGas: async () => fees },
        ...options,
      })
    },
    balanceOf: (holder: Address) =>
      reader.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [holder] }),
    /** Funds an account with ether. */
    async funded<account extends LatchkeyAccount>(account: account): Promise<account> {
      await stage.tester.setBalance({ address: account.address, value: parseEther('1') })
      return account
    },
    /** Sends an operation, waits for it and returns its nonce. */
    async send(account: LatchkeyAccount, calls: readonly ReturnType<typeof mint>[], key?: bigint): Promise<bigint> {
      const bundler = stage.createBundler(account)
      const nonce = key === undefined ? {} : { nonce: await account.getNonce({ key }) }
      const hash = await bundler.sendUserOperation({ calls, ...nonce })
      const { success, nonce: used } = await bundler.waitForUserOperationReceipt({ hash })
      expect(success).toBe(true)
      // viem returns the nonce in hex.
      return BigInt(used)
    },
  }
  return stage
}
