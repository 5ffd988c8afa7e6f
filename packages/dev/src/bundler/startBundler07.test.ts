import { encodeFunctionData, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../../test/contracts/testChain.ts'
import { paymasterSigner, receiptOf } from '../../../../test/contracts/userOperation06.ts'
import { accountOf07, sendUserOperation07 } from '../../../../test/contracts/userOperation07.ts'
import { devAddresses } from '../chain/devAddresses.ts'

/** Operations of entry point 0.7, by LightAccount v2.0.0. */

const demoAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
])
const { demo, entryPoints, paymasters } = devAddresses

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain({ bundler: true })
})
afterAll(() => chain.close())

test('behavior: an operation that pays for itself deploys the account and runs', async () => {
  const owner = await chain.freshAccount()
  const { read, transact } = chain.client(2)
  const account = await accountOf07(chain, owner.address)
  await transact({ to: account, value: parseEther('1') })
  const target = (await chain.freshAccount()).address

  const first = await receiptOf(chain, await sendUserOperation07({ chain, owner, target, value: 5n }))
  expect(first.success).toBe(true)
  expect(await read.getBalance({ address: target })).toBe(parseEther('100') + 5n)
  expect(await read.getCode({ address: account })).toMatch(/^0x363d/)
  const second = await receiptOf(chain, await sendUserOperation07({ chain, owner, target, value: 5n }))
  expect(second.success).toBe(true)
  expect(await read.getBalance({ address: target })).toBe(parseEther('100') + 10n)
})

test('behavior: a sponsored operation costs the paymaster’s deposit, and the account nothing', async () => {
  const owner = await chain.freshAccount()
  const { read } = chain.client(2)
  const account = await accountOf07(chain, owner.address)
  const balanceOf = (address: `0x${string}`, of: `0x${string}`) =>
    read.readContract({ address, abi: demoAbi, functionName: 'balanceOf', args: [of] })
  const deposit = () => balanceOf(entryPoints['0.7.0'], paymasters['0.7.0'])
  const before = await deposit()
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [account, parseEther('100')] })
  const hash = await sendUserOperation07({ chain, owner, target: demo, data, sponsor: paymasterSigner })
  const receipt = await receiptOf(chain, hash)

  expect(receipt.success).toBe(true)
  expect(await read.getBalance({ address: account })).toBe(0n)
  expect(await deposit()).toBe(before - BigInt(receipt.actualGasCost))
  expect(await balanceOf(demo, account)).toBe(parseEther('100'))
})

test('error: an operation signed by someone else', async () => {
  const [owner, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  await chain.client(3).transact({ to: await accountOf07(chain, owner.address), value: parseEther('1') })
  const sent = sendUserOperation07({ chain, owner, signer: stranger, target: stranger.address })
  await expect(sent).rejects.toThrow(/signature/i)
})

test('error: an operation sponsored by someone else', async () => {
  const [owner, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const sent = sendUserOperation07({ chain, owner, target: owner.address, sponsor: stranger })
  await expect(sent).rejects.toThrow(/signature/i)
})
