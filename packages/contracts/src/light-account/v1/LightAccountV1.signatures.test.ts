import {
  type Address,
  encodeFunctionData,
  type Hex,
  hashMessage,
  hashTypedData,
  keccak256,
  parseSignature,
  serializeSignature,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount, emptyOperation } from '../../../../../test/contracts/lightAccountV1.ts'
import { lightAccountV1Abi as abi } from '../../../../../test/contracts/lightAccountV1Abi.ts'
import { startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'
import { devAccounts } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { implementation } = devAddresses.lightAccount['v1.1.0']
const entryPoint = devAddresses.entryPoints['0.6.0']
const { demo } = devAddresses
const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const failure = '0xffffffff'
const magic = '0x1626ba7e'

let chain: TestChain
beforeAll(async () => {
  // The chain of the published signature vectors.
  chain = await startTestChain({ chainId: 80001 })
})
afterAll(() => chain.close())

const setUp = (owner?: Address) => createAccount(chain, owner)

/** What the owner signs for a digest to be the account's (EIP-712). */
const wrapped = (address: Address, digest: Hex) =>
  ({
    domain: { name: 'LightAccount', version: '1', chainId: 80001, verifyingContract: address },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: digest },
  }) as const

test('behavior: validateUserOp tells right signatures from wrong ones without a revert', async () => {
  const { account, address, owner, stranger, read } = await setUp()
  const hash = keccak256(toHex('operation'))
  const validate = async (signature: Hex, userOpHash = hash) =>
    (
      await read.simulateContract({
        ...account,
        functionName: 'validateUserOp',
        args: [emptyOperation(address, signature), userOpHash, 0n],
        account: entryPoint,
      })
    ).result
  const right = await owner.signMessage({ message: { raw: hash } })
  const { r, s, yParity } = parseSignature(right)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const mirrored = serializeSignature({ r, s: toHex(order - BigInt(s), { size: 32 }), yParity: yParity === 0 ? 1 : 0 })
  const dummy =
    '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'

  expect(await validate(right)).toBe(0n)
  expect(await validate(right, keccak256(toHex('another')))).toBe(1n)
  expect(await validate(await stranger.signMessage({ message: { raw: hash } }))).toBe(1n)
  expect(await validate(await owner.sign({ hash }))).toBe(1n)
  expect(await validate(mirrored)).toBe(1n)
  for (const malformed of [
    '0x',
    '0x1234',
    right.slice(0, -2),
    `${right}00`,
    `${right.slice(0, -2)}1d`,
    dummy,
  ] as Hex[]) {
    expect(await validate(malformed)).toBe(1n)
  }
})

test('behavior: signature vectors of public chains', async () => {
  // The account of the vectors: a proxy of the same kind, put where the vectors say it is.
  const vector = {
    account: '0xb856DBD4fA1A79a46D426f537455e7d3E79ab7c4',
    owner: devAccounts[0].address,
    message: '0xa70d0af2ebb03a44dcd0714a8724f622e3ab876d0aa312f0ee04823285d6fb1b',
    signature:
      '0x394dcd53572e316d1bf7a5f3be71a4189e1ab1269f57691699f7b18b209e340b63d27ae7b314445fd5a9db5a442278fadd3dc022a9e35a1b5ea20e891c22c8b21c',
  } as const
  const { address, read } = await setUp()
  await chain.request('anvil_setCode', [vector.account, await read.getCode({ address })])
  const word = `0x${implementation.slice(2).padStart(64, '0')}`
  await chain.request('anvil_setStorageAt', [vector.account, implementationSlot, word])
  const client = chain.client(1)
  const data = encodeFunctionData({ abi, functionName: 'initialize', args: [vector.owner] })
  await client.transact({ to: vector.account, data })

  const isValid = (digest: Hex, signature: Hex) =>
    read.readContract({ address: vector.account, abi, functionName: 'isValidSignature', args: [digest, signature] })
  expect(await isValid(hashMessage(vector.message), vector.signature)).toBe(magic)
  expect(await isValid(hashMessage(`${vector.message} `), vector.signature)).toBe(failure)

  const typed = {
    domain: { name: 'App', chainId: 80001 },
    types: { Request: [{ name: 'hello', type: 'string' }] },
    primaryType: 'Request',
    message: { hello: 'world' },
  } as const
  const signer = privateKeyToAccount(devAccounts[0].privateKey)
  const signature = await signer.signTypedData(wrapped(vector.account, hashTypedData(typed)))
  expect(await read.verifyTypedData({ ...typed, address: vector.account, signature })).toBe(true)
  expect(
    await read.verifyMessage({ address: vector.account, message: vector.message, signature: vector.signature }),
  ).toBe(true)
})

test('error: ERC-1271 refuses another digest, another signer, another account of the owner, and garbage', async () => {
  const { account, address, owner, stranger, read } = await setUp()
  const digest = hashMessage('hello')
  const isValid = (signature: Hex, of = digest) =>
    read.readContract({ ...account, functionName: 'isValidSignature', args: [of, signature] })
  const right = await owner.signTypedData(wrapped(address, digest))
  expect(await isValid(right)).toBe(magic)
  expect(await isValid(right, hashMessage('other'))).toBe(failure)
  expect(await isValid(await stranger.signTypedData(wrapped(address, digest)))).toBe(failure)
  expect(await isValid(await owner.signTypedData(wrapped(demo, digest)))).toBe(failure)
  expect(await isValid(await owner.sign({ hash: digest }))).toBe(failure)
  expect(await isValid(await owner.signMessage({ message: 'hello' }))).toBe(failure)
  for (const malformed of ['0x', `${right}00`, `0x${'00'.repeat(65)}`] as Hex[])
    expect(await isValid(malformed)).toBe(failure)
})

test('behavior: a contract as owner speaks by ERC-1271', async () => {
  const outer = await setUp()
  const inner = await setUp(outer.address)
  const digest = hashMessage('hello')
  const inside = hashTypedData(wrapped(inner.address, digest))
  const right = await outer.owner.signTypedData(wrapped(outer.address, inside))
  const isValid = (signature: Hex) =>
    outer.read.readContract({ ...inner.account, functionName: 'isValidSignature', args: [digest, signature] })
  expect(await isValid(right)).toBe(magic)
  expect(await isValid(await inner.owner.signTypedData(wrapped(outer.address, inside)))).toBe(failure)

  const hash = keccak256(toHex('operation'))
  const validate = async (signature: Hex) =>
    (
      await outer.read.simulateContract({
        ...inner.account,
        functionName: 'validateUserOp',
        args: [emptyOperation(inner.address, signature), hash, 0n],
        account: entryPoint,
      })
    ).result
  expect(await validate(await outer.owner.signTypedData(wrapped(outer.address, hash)))).toBe(0n)
  expect(await validate(await inner.owner.signTypedData(wrapped(outer.address, hash)))).toBe(1n)
  expect(await validate('0x')).toBe(1n)
})

test('behavior: a contract owner that answers nonsense is not believed', async () => {
  const { account, address, by, read } = await setUp()
  const answers: Record<string, Hex> = {
    'the magic value with a dirty tail': `0x7f${magic.slice(2)}${'00'.repeat(27)}0160005260206000f3`,
    'four bytes only': `0x63${magic.slice(2)}60e01b60005260046000f3`,
    nothing: '0x00',
    'a revert': '0x60006000fd',
  }
  for (const code of Object.values(answers)) {
    const liar = (await chain.freshAccount()).address
    await chain.request('anvil_setCode', [liar, code])
    const go = await setUp(liar)
    const answer = await read.readContract({
      ...go.account,
      functionName: 'isValidSignature',
      args: [hashMessage('x'), '0x'],
    })
    expect(answer).toBe(failure)
  }
  const honest = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [honest, `0x63${magic.slice(2)}60e01b60005260206000f3`])
  const data = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [honest] })
  await by.transact({ to: address, data })
  expect(
    await read.readContract({ ...account, functionName: 'isValidSignature', args: [hashMessage('x'), '0x'] }),
  ).toBe(magic)
})

test('behavior: the hashes agree with EIP-712', async () => {
  const { account, address, read } = await setUp()
  for (const message of ['0x', '0x01', keccak256('0x')] as Hex[]) {
    const data = await read.readContract({ ...account, functionName: 'encodeMessageData', args: [message] })
    const separator = await read.readContract({ ...account, functionName: 'domainSeparator' })
    expect(data.slice(0, 70)).toBe(`0x1901${separator.slice(2)}`)
    const hash = await read.readContract({ ...account, functionName: 'getMessageHash', args: [message] })
    expect(hash).toBe(hashTypedData(wrapped(address, message)))
    expect(hash).toBe(keccak256(data))
  }
})
