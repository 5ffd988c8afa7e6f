import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import {
  createOperation,
  execute,
  factory,
  handle,
  installSigner,
  isValid,
  type ModularV2TestAccount,
  singleSigner,
  toEntity,
  view,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { concat, encodeFunctionData, type Hex, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** The makers' package made these signatures for chain id 11155111, so the file starts a chain with that id. */

const [ownerKey, secondKey] = [1, 2].map((digit) => `0x${`${digit}${digit}`.repeat(32)}` as Hex) as [Hex, Hex]
const address = '0x7A546bF84e0b86374B2A765F2c294548363D279a'
const hash = '0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750'
const nobody = '0x000000000000000000000000000000000000dEaD'

let chain: TestChain
let it: ModularV2TestAccount
beforeAll(async () => {
  chain = await startTestChain({ chainId: 11155111 })
  const owner = { ...privateKeyToAccount(ownerKey), privateKey: ownerKey }
  const args = [owner.address, 0n]
  const data = encodeFunctionData({ abi: factory.abi, functionName: 'createSemiModularAccount', args })
  await chain.client(1).transact({ to: factory.address, data })
  await chain.request('anvil_setBalance', [address, toHex(parseEther('10'))])
  it = await view(chain, address, owner)
})
afterAll(() => chain.close())

test('accepts the owner’s signature of a message (ERC-1271)', async () => {
  const signature =
    '0x0000000000ff00c2eef1e599600d1a2fbbf6dca0f94e1fdb0fbc018a0b4fa567c3e80525042b525798d186bbdc44ac0cbaa909e663fc674b3f0cee595325e1b1e7d1f5f596fd1f1b'
  expect(await isValid(it, hash, signature)).toBe('0x1626ba7e')
})

test('installs a key by the deferred action that the owner signed', async () => {
  const second = privateKeyToAccount(secondKey)
  const nonce = 0x1020000000000000000n
  const prefix =
    '0x0000017f000000000000000000000000000000000000000001000070dbd8801bbf564c00000000000099de0bf6fa90deb851e2a2df7d83000000010100000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000e000000000000000000000000000000000000000000000000000000000000001400000000000000000000000000000000000000000000000000000000000000002b61d27f60000000000000000000000000000000000000000000000000000000034fcd5be00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004000000000000000000000000000000000000000000000000000000000000000010000000000000000000000001563915e194d8cfba1943570603f7606a31155080000000000000000000000000000000000000000000000000000000000000000000000420065bae7692c6a746f6a7908c7ff1570aaa128cf99181afb9de00786ea36dd016359161209af9845eeb5978ce9794cdd18128144d5d10d467d44565e25a21bcbc01c'
  const fields = { signer: second, nonce, prefix } as const
  expect(await handle(chain, await createOperation(chain, it, execute(nobody, 1n), fields))).toMatchObject([
    { success: true },
  ])
  const read = { ...it.account, functionName: 'getValidationData', args: [toEntity(singleSigner.address, 1)] }
  expect(await it.read.readContract(read)).toMatchObject({
    validationFlags: 1,
    selectors: ['0xb61d27f6', '0x34fcd5be'],
  })
})

test('accepts the key’s signature of a message (ERC-1271)', async () => {
  const signature =
    '0x0000000001ff001e666896ed66ad504999b6c1fd391693679867c601cdeaa75e02e2ddb56b81ed0dc18fb63c83ab70e9a0c7c677d39abffe51a5edc95a4062410434b00ed710451b'
  const install = installSigner(privateKeyToAccount(secondKey).address, 1, { flags: 3, selectors: [] })
  expect(await handle(chain, await createOperation(chain, it, install))).toMatchObject([{ success: true }])
  expect(await isValid(it, hash, signature)).toBe('0x1626ba7e')
  expect(await isValid(it, hash, concat([signature.slice(0, -2) as Hex, '0x1c']))).toBe('0xffffffff')
})
