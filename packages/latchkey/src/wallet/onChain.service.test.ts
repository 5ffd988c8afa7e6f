import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { demo, demoAbi, mint as encodeMint } from '@latchkey/testkit/demoToken'
import { type Address, decodeFunctionData, encodeFunctionData, parseEther, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { lightAccountAbi } from '../accounts/lightAccount/encoding.ts'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'
import type { CallInput } from './userOperation/types.ts'

const stage = setChain()

async function setUp({ balance = 0n, salt = 0n } = {}) {
  const { reader, tester, transport, chain } = stage
  const owner = newKey()
  const account = await toLightAccount({ client: reader, owner, salt })
  if (balance > 0n) await tester.setBalance({ address: account.address, value: balance })
  const client = createSmartAccountClient({ account, chain, transport })
  return { reader, owner, account, client }
}

const mint = (to: Address, value: bigint): CallInput => ({ target: demo, data: encodeMint(to, value).data })

test('behavior: the first operation deploys the account; several calls go in one; the account pays', async () => {
  const { reader, owner, account, client } = await setUp({ balance: parseEther('1') })
  expect(await account.isDeployed()).toBe(false)
  expect(await account.getImplementationAddress()).toBe(zeroAddress)

  const sent = await client.sendUserOperation({ uo: mint(account.address, 100n) })
  const transactionHash = await client.waitForUserOperationTransaction({ hash: sent.hash })
  const receipt = await client.getTransactionReceipt({ hash: transactionHash })
  expect(receipt.status).toBe('success')
  expect(sent.timings).toEqual({
    prepareMs: expect.any(Number),
    signMs: expect.any(Number),
    sendMs: expect.any(Number),
  })

  expect(await account.isDeployed()).toBe(true)
  expect(await account.getInitCode()).toBe('0x')
  expect(await account.getFactoryInitCode()).not.toBe('0x')
  expect(await account.getImplementationAddress()).toBe('0xae8c656ad28F2B59a196AB61815C16A0AE1c3cba')
  const read = { address: account.address, abi: lightAccountAbi, functionName: 'owner' } as const
  expect(await reader.readContract(read)).toBe(owner.address)

  const transfer = {
    target: demo,
    data: encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [owner.address, 5n] }),
  } as const
  const batch = await client.sendUserOperation({ uo: [mint(account.address, 1n), transfer] })
  await client.waitForUserOperationTransaction({ hash: batch.hash })
  expect(decodeFunctionData({ abi: lightAccountAbi, data: batch.request.callData }).functionName).toBe('executeBatch')
  const balanceOf = (address: `0x${string}`) =>
    reader.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })
  expect(await balanceOf(account.address)).toBe(96n)
  expect(await balanceOf(owner.address)).toBe(5n)
  expect(await account.getNonce()).toBe(2n)
  expect(await client.getUserOperationReceipt(batch.hash)).toMatchObject({ success: true, sender: account.address })
})

test('error: an account without money', async () => {
  const { client, account } = await setUp()
  const error = await client.sendUserOperation({ uo: mint(account.address, 1n) }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code: 'USER_OPERATION_INVALID',
    shortMessage: 'The account cannot pay for the gas of this operation.',
  })
})

test('error: a call that would revert is not sent', async () => {
  const { client, owner } = await setUp({ balance: parseEther('1') })
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [owner.address, 5n] })
  await expect(client.sendUserOperation({ uo: { target: demo, data } })).rejects.toMatchObject({
    code: 'CONTRACT_REVERTED',
    shortMessage: expect.stringContaining('InsufficientBalance('),
  })
})

test('error: a call that reverts on chain', async () => {
  const { client, owner } = await setUp({ balance: parseEther('1') })
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [owner.address, 5n] })
  // Gas is given, so that no estimate refuses it first.
  const gas = { callGasLimit: 100_000n, verificationGasLimit: 500_000n, preVerificationGas: 100_000n }
  const { chain, transport } = stage
  const blind = createSmartAccountClient({
    account: client.smartAccount,
    chain,
    transport,
    gasEstimator: async (draft) => ({ ...draft, ...gas }),
  })
  const { hash } = await blind.sendUserOperation({ uo: { target: demo, data } })
  await expect(blind.waitForUserOperationTransaction({ hash })).rejects.toMatchObject({
    code: 'USER_OPERATION_REVERTED',
    userOperationHash: hash,
    reason: `InsufficientBalance(${client.account.address}, 0, 5)`,
  })
})
