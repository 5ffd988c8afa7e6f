import { newKey, setChain, typedData } from '@latchkey/testkit/accounts/setChain'
import { demo, demoAbi, mint as encodeMint } from '@latchkey/testkit/demoToken'
import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  hashMessage,
  hashTypedData,
  parseEther,
  zeroAddress,
} from 'viem'
import { expect, test } from 'vitest'
import { lightAccountAbi } from '../accounts/lightAccount/encoding.ts'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { readIsValidSignature } from '../accounts/reads/readIsValidSignature.ts'
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

test('behavior: signatures verify before deployment with the wrapper and after it without (ERC-1271, ERC-6492)', async () => {
  const { reader, account, client } = await setUp({ balance: parseEther('1') })
  const { address } = account
  const message = 'hello'
  const isValid = async () => {
    const [messageSignature, typedSignature] = await Promise.all([
      account.signMessageWith6492({ message }),
      account.signTypedDataWith6492(typedData),
    ])
    return [
      await reader.verifyMessage({ address, message, signature: messageSignature }),
      await reader.verifyTypedData({ address, ...typedData, signature: typedSignature }),
    ]
  }
  expect(await isValid()).toEqual([true, true])
  const plain = await account.signMessage({ message })
  expect(plain.length).toBe(132)
  expect(await account.signMessageWith6492({ message })).toMatch(/(6492){16}$/)

  await client.waitForUserOperationTransaction(await client.sendUserOperation({ uo: mint(address, 1n) }))
  expect(await isValid()).toEqual([true, true])
  expect(await account.signMessageWith6492({ message })).toBe(plain)
  expect(await readIsValidSignature(reader, { address, hash: hashMessage(message), signature: plain })).toBe(true)
  const hash = hashTypedData(typedData)
  expect(await readIsValidSignature(reader, { address, hash, signature: await account.sign({ hash }) })).toBe(true)
})

test('error: another account of the same owner does not accept the signature', async () => {
  const { reader, owner, account } = await setUp()
  const other = await toLightAccount({ client: reader, owner, salt: 9n })
  const signature = await other.signMessageWith6492({ message: 'hello' })
  expect(await reader.verifyMessage({ address: account.address, message: 'hello', signature })).toBe(false)
})

test('error: an operation signed by someone who is not the owner', async () => {
  const { account, client, reader } = await setUp({ balance: parseEther('1') })
  const stranger = await toLightAccount({
    client: reader,
    owner: newKey(),
    accountAddress: account.address,
    initCode: await account.getFactoryInitCode(),
  })
  const { chain, transport } = stage
  const thief = createSmartAccountClient({ account: stranger, chain, transport })
  await expect(thief.sendUserOperation({ uo: mint(account.address, 1n) })).rejects.toThrow(/signature/i)
  // The same operation by the owner goes through.
  await client.sendUserOperation({ uo: mint(account.address, 1n) })
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
