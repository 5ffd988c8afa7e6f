import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { lightAccountVersions } from '@latchkey/testkit/contracts/lightAccounts'
import {
  paymasterSigner,
  predictAccount,
  sendUserOperation,
  waitForReceipt,
} from '@latchkey/testkit/contracts/userOperation'
import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../chain/devAddresses.ts'

/** Operations of every light account go through bundler and entry point. */

const { paymasters } = devAddresses
const each = test.each(lightAccountVersions)

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain({ bundler: true })
})
afterAll(() => chain.close())

each('deploys the account by an operation that pays for itself ($name)', async (version) => {
  const owner = await chain.freshAccount()
  const { read, transact } = chain.client(2)
  const account = await predictAccount(chain, version, owner.address)
  await transact({ to: account, value: parseEther('1') })
  const target = (await chain.freshAccount()).address

  const first = await waitForReceipt(chain, await sendUserOperation({ chain, version, owner, target, value: 5n }))
  expect(first.success).toBe(true)
  expect(await read.getBalance({ address: target })).toBe(parseEther('100') + 5n)
  expect(await read.getCode({ address: account })).toMatch(version.proxy)
  const second = await waitForReceipt(chain, await sendUserOperation({ chain, version, owner, target, value: 5n }))
  expect(second.success).toBe(true)
  expect(await read.getBalance({ address: target })).toBe(parseEther('100') + 10n)
})

each("charges a sponsored operation to the paymaster's deposit ($name)", async (version) => {
  const owner = await chain.freshAccount()
  const { read } = chain.client(2)
  const account = await predictAccount(chain, version, owner.address)
  const balanceOf = (address: `0x${string}`, of: `0x${string}`) =>
    read.readContract({ address, abi: demoAbi, functionName: 'balanceOf', args: [of] })
  const paymaster = paymasters[version.entryPointVersion === '0.6' ? '0.6.0' : '0.7.0']
  const before = await balanceOf(version.entryPoint, paymaster)
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [account, parseEther('100')] })
  const hash = await sendUserOperation({ chain, version, owner, target: demo, data, sponsor: paymasterSigner })
  const receipt = await waitForReceipt(chain, hash)

  expect(receipt.success).toBe(true)
  expect(await read.getBalance({ address: account })).toBe(0n)
  expect(await balanceOf(version.entryPoint, paymaster)).toBe(before - BigInt(receipt.actualGasCost))
  expect(await balanceOf(demo, account)).toBe(parseEther('100'))
})

each('refuses an operation signed by someone else ($name)', async (version) => {
  const [owner, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const account = await predictAccount(chain, version, owner.address)
  await chain.client(3).transact({ to: account, value: parseEther('1') })
  const sent = sendUserOperation({ chain, version, owner, signer: stranger, target: stranger.address })
  await expect(sent).rejects.toThrow(/signature/i)
})

each('refuses an operation sponsored by someone else ($name)', async (version) => {
  const [owner, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const sent = sendUserOperation({ chain, version, owner, target: owner.address, sponsor: stranger })
  await expect(sent).rejects.toThrow(/signature/i)
})
