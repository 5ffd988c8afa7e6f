import { newKey, setChain, typedData } from '@latchkey/testkit/accounts/setChain'
import { demo, mint as encodeMint } from '@latchkey/testkit/demoToken'
import { type Address, hashMessage, parseEther, zeroAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { lightAccountActions } from '../accounts/lightAccount/lightAccountActions.ts'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { readIsValidSignature } from '../accounts/reads/readIsValidSignature.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'
import type { CallInput } from './userOperation/types.ts'

const stage = setChain()

async function setUp({ version = 'v2.0.0' as 'v1.1.0' | 'v2.0.0', balance = parseEther('1'), salt = 0n } = {}) {
  const { reader, tester, transport, chain } = stage
  const owner = newKey()
  const account = await toLightAccount({ client: reader, owner, salt, version })
  await tester.setBalance({ address: account.address, value: balance })
  const client = createSmartAccountClient({ account, chain, transport }).extend(lightAccountActions)
  return { reader, owner, account, client }
}

const mint = (to: Address, value: bigint): CallInput => ({ target: demo, data: encodeMint(to, value).data })

test('default: on EntryPoint 0.7 the first operation deploys, several calls go in one, the account pays', async () => {
  const { account, client } = await setUp()
  expect(await account.getImplementationAddress()).toBe(zeroAddress)
  const first = await client.sendUserOperation({ uo: mint(account.address, 100n) })
  await client.waitForUserOperationTransaction({ hash: first.hash })
  expect(await account.isDeployed()).toBe(true)
  expect(await account.getImplementationAddress()).toBe('0x8E8e658E22B12ada97B402fF0b044D6A325013C7')
  const batch = await client.sendUserOperation({ uo: [mint(account.address, 1n), mint(account.address, 2n)] })
  await client.waitForUserOperationTransaction({ hash: batch.hash })
  expect(batch.request).not.toHaveProperty('factory')
  expect(await stage.balanceOf(account.address)).toBe(103n)
  expect(await account.getNonce()).toBe(2n)
})

describe.each(['v1.1.0', 'v2.0.0'] as const)('%s', (version) => {
  test('behavior: the client’s signatures verify before deployment and after it (ERC-1271, ERC-6492)', async () => {
    const { reader, account, client } = await setUp({ version })
    const { address } = account
    const message = 'hello'
    const isValid = async () => [
      await reader.verifyMessage({ address, message, signature: await client.signMessageWith6492({ message }) }),
      await reader.verifyTypedData({
        address,
        ...typedData,
        signature: await client.signTypedDataWith6492({ typedData }),
      }),
    ]
    expect(await isValid()).toEqual([true, true])
    expect(await client.signMessageWith6492({ message })).toMatch(/(6492){16}$/)
    await client.sendTransaction({ to: demo, data: mint(address, 1n).data })
    expect(await isValid()).toEqual([true, true])
    const plain = await client.signMessage({ message })
    expect(await client.signMessageWith6492({ message })).toBe(plain)
    expect(await readIsValidSignature(reader, { address, hash: hashMessage(message), signature: plain })).toBe(true)
  })

  test('error: another account of the same owner does not accept the signature', async () => {
    const { reader, owner, account } = await setUp({ version })
    const other = await toLightAccount({ client: reader, owner, salt: 9n, version })
    const signature = await other.signMessageWith6492({ message: 'hello' })
    expect(await reader.verifyMessage({ address: account.address, message: 'hello', signature })).toBe(false)
  })

  test('behavior: an account is handed over; from then on only the new owner signs for it', async () => {
    const { reader, account, client } = await setUp({ version })
    const newOwner = newKey()
    await expect(account.getOwnerAddress()).rejects.toMatchObject({
      code: 'OWNER_NOT_FOUND',
      shortMessage: 'could not get on-chain owner',
    })
    const hash = await client.transferOwnership({ newOwner, waitForTxn: true })
    expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
    expect(await account.getOwnerAddress()).toBe(newOwner.address)
    await expect(client.sendUserOperation({ uo: mint(account.address, 1n) })).rejects.toThrow(/signature/i)

    const { chain, transport } = stage
    const { address: accountAddress } = account
    const taken = await toLightAccount({ client: reader, owner: newOwner, version, accountAddress })
    const next = createSmartAccountClient({ account: taken, chain, transport })
    await next.sendTransaction({ to: demo, data: mint(accountAddress, 4n).data })
    expect(await stage.balanceOf(accountAddress)).toBe(4n)
  })

  test('error: an account is handed to nobody, to itself, or to who has it', async () => {
    const { account, owner, client } = await setUp({ version })
    await client.sendTransaction({ to: demo, data: mint(account.address, 1n).data })
    for (const newOwner of [zeroAddress, account.address, owner.address]) {
      await expect(client.transferOwnership({ newOwner })).rejects.toMatchObject({
        code: 'CONTRACT_REVERTED',
        shortMessage: expect.stringContaining(`InvalidOwner(${newOwner})`),
      })
    }
    await expect(client.transferOwnership({ newOwner: '0x12' })).rejects.toMatchObject({ code: 'ADDRESS_INVALID' })
    expect(await account.getOwnerAddress()).toBe(owner.address)
  })
})
