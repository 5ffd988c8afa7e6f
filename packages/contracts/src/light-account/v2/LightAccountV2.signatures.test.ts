import {
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  hashMessage,
  hashTypedData,
  keccak256,
  parseSignature,
  serializeSignature,
  toHex,
  zeroHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byContract, byKey, createAccountV2, emptyOperation07 } from '../../../../../test/contracts/lightAccountV2.ts'
import { lightAccountV2Abi as abi } from '../../../../../test/contracts/lightAccountV2Abi.ts'
import { revertOf } from '../../../../../test/contracts/revertOf.ts'
import { startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'
import { devAccounts } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { implementation } = devAddresses.lightAccountV2
const entryPoint = devAddresses.entryPoints['0.7.0']
const { demo } = devAddresses
const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const failure = '0xffffffff'
const magic = '0x1626ba7e'
const hash = keccak256(toHex('operation'))

let chain: TestChain
beforeAll(async () => {
  // The chain of the published signature vectors.
  chain = await startTestChain({ chainId: 80001 })
})
afterAll(() => chain.close())

const setUp = (owner?: Address) => createAccountV2(chain, owner)
type TestAccount = Awaited<ReturnType<typeof setUp>>

/** What the owner signs for a digest to be the account's (EIP-712). */
const wrapped = (address: Address, digest: Hex, version = '2') =>
  ({
    domain: { name: 'LightAccount', version, chainId: 80001, verifyingContract: address },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: digest },
  }) as const

/** The same signature with the other s: it recovers to the same key, and is refused (EIP-2). */
function mirrored(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  return serializeSignature({ r, s: toHex(order - BigInt(s), { size: 32 }), yParity: yParity === 0 ? 1 : 0 })
}

const validate = async ({ account, address, read }: TestAccount, signature: Hex, userOpHash = hash) => {
  const args = [emptyOperation07(address, signature), userOpHash, 0n] as const
  const call = { ...account, functionName: 'validateUserOp', args, account: entryPoint } as const
  return (await read.simulateContract(call)).result
}

const isValid = ({ account, read }: TestAccount, digest: Hex, signature: Hex) =>
  read.readContract({ ...account, functionName: 'isValidSignature', args: [digest, signature] })

test('behavior: validateUserOp tells the owner’s signature from others without a revert', async () => {
  const it = await setUp()
  const right = await it.owner.signMessage({ message: { raw: hash } })
  // What every client of the field sends while it has no signature: it recovers to somebody.
  const dummy =
    '0x00fffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
  expect(await validate(it, byKey(right))).toBe(0n)
  expect(await validate(it, byKey(right), keccak256(toHex('another')))).toBe(1n)
  expect(await validate(it, byKey(await it.stranger.signMessage({ message: { raw: hash } })))).toBe(1n)
  expect(await validate(it, byKey(await it.owner.sign({ hash })))).toBe(1n)
  expect(await validate(it, dummy)).toBe(1n)
  // A key is no contract.
  expect(await validate(it, byContract(right))).toBe(1n)
})

test('error: signatures that are none, in operations and by ERC-1271', async () => {
  const it = await setUp()
  const right = await it.owner.signMessage({ message: { raw: hash } })
  const { s } = parseSignature(mirrored(right))
  const cases: [Hex, string, unknown[]][] = [
    ['0x', 'InvalidSignatureType', []],
    [right, 'InvalidSignatureType', []],
    [concat(['0x02', right]), 'InvalidSignatureType', []],
    [concat(['0x03', right]), 'InvalidSignatureType', []],
    ['0xff', 'InvalidSignatureType', []],
    ['0x00', 'ECDSAInvalidSignatureLength', [0n]],
    [byKey(concat([right, '0x00'])), 'ECDSAInvalidSignatureLength', [66n]],
    [byKey(right.slice(0, -2) as Hex), 'ECDSAInvalidSignatureLength', [64n]],
    [byKey(mirrored(right)), 'ECDSAInvalidSignatureS', [s]],
    [byKey(`${right.slice(0, -2)}1d` as Hex), 'ECDSAInvalidSignature', []],
    [byKey(concat([zeroHash, zeroHash, '0x1b'])), 'ECDSAInvalidSignature', []],
  ]
  for (const [signature, name, args] of cases) {
    if (signature === right && (right.startsWith('0x00') || right.startsWith('0x01'))) continue
    expect(await revertOf(validate(it, signature)), signature).toEqual({ name, args })
    expect(await revertOf(isValid(it, hash, signature)), signature).toEqual({ name, args })
  }
})

test('behavior: signature vectors of public chains', async () => {
  // The account of the vectors: a proxy of the same kind, put where the vectors say it is.
  const vector = {
    account: '0xb856DBD4fA1A79a46D426f537455e7d3E79ab7c4',
    owner: devAccounts[0].address,
    message: '0xa70d0af2ebb03a44dcd0714a8724f622e3ab876d0aa312f0ee04823285d6fb1b',
    signature:
      '0x002a5d8fcbe5f853016cafb76f65acc36cc932b69c9c1bd65576fa1f64f8e21a39610798ccd1494820cdd12988abb254afc36c61064c0ec8ffaa2834a2a3628d2b1b',
    // As some clients sign it: over version 1 of the domain.
    ofVersion1:
      '0x00394dcd53572e316d1bf7a5f3be71a4189e1ab1269f57691699f7b18b209e340b63d27ae7b314445fd5a9db5a442278fadd3dc022a9e35a1b5ea20e891c22c8b21c',
  } as const
  const other = await setUp()
  const { read } = other
  await chain.request('anvil_setCode', [vector.account, await read.getCode({ address: other.address })])
  const word = `0x${implementation.slice(2).padStart(64, '0')}`
  await chain.request('anvil_setStorageAt', [vector.account, implementationSlot, word])
  const data = encodeFunctionData({ abi, functionName: 'initialize', args: [vector.owner] })
  await chain.client(1).transact({ to: vector.account, data })
  const it: TestAccount = { ...other, address: vector.account, account: { address: vector.account, abi } }

  expect(await isValid(it, hashMessage(vector.message), vector.signature)).toBe(magic)
  expect(await isValid(it, hashMessage(`${vector.message} `), vector.signature)).toBe(failure)
  expect(await isValid(it, hashMessage(vector.message), vector.ofVersion1)).toBe(failure)
  const { account: address, message, signature } = vector
  expect(await read.verifyMessage({ address, message, signature })).toBe(true)

  const typed = {
    domain: { name: 'App', chainId: 80001 },
    types: { Request: [{ name: 'hello', type: 'string' }] },
    primaryType: 'Request',
    message: { hello: 'world' },
  } as const
  const signer = privateKeyToAccount(devAccounts[0].privateKey)
  const signed = byKey(await signer.signTypedData(wrapped(address, hashTypedData(typed))))
  expect(await read.verifyTypedData({ ...typed, address, signature: signed })).toBe(true)
})

test('error: ERC-1271 refuses another digest, another signer, and another account of the owner', async () => {
  const it = await setUp()
  const digest = hashMessage('hello')
  const right = byKey(await it.owner.signTypedData(wrapped(it.address, digest)))
  expect(await isValid(it, digest, right)).toBe(magic)
  expect(await isValid(it, hashMessage('other'), right)).toBe(failure)
  const wrong = [
    await it.stranger.signTypedData(wrapped(it.address, digest)),
    await it.owner.signTypedData(wrapped(demo, digest)),
    await it.owner.signTypedData(wrapped(it.address, digest, '1')),
    await it.owner.sign({ hash: digest }),
    await it.owner.signMessage({ message: 'hello' }),
  ]
  for (const signature of wrong) expect(await isValid(it, digest, byKey(signature))).toBe(failure)
})

test('behavior: a contract as owner speaks by ERC-1271', async () => {
  const outer = await setUp()
  const inner = await setUp(outer.address)
  const digest = hashMessage('hello')
  const inside = hashTypedData(wrapped(inner.address, digest))
  const right = byContract(byKey(await outer.owner.signTypedData(wrapped(outer.address, inside))))
  const wrong = byContract(byKey(await inner.owner.signTypedData(wrapped(outer.address, inside))))
  expect(await isValid(inner, digest, right)).toBe(magic)
  expect(await isValid(inner, digest, wrong)).toBe(failure)

  const operation = await outer.owner.signTypedData(wrapped(outer.address, hash))
  expect(await validate(inner, byContract(byKey(operation)))).toBe(0n)
  expect(await validate(inner, byContract(byKey(await inner.owner.signTypedData(wrapped(outer.address, hash)))))).toBe(
    1n,
  )
  // The outer account's owner is not the inner one's: only the contract is.
  expect(await validate(inner, byKey(await outer.owner.signMessage({ message: { raw: hash } })))).toBe(1n)
  // What the owner refuses with a revert is refused, and reverts nothing.
  expect(await validate(inner, '0x01')).toBe(1n)
})

test('behavior: the domain is told by ERC-5267, and the hashes agree with EIP-712', async () => {
  const { account, address, read } = await setUp()
  expect(await read.getEip712Domain({ address })).toEqual({
    domain: {
      name: 'LightAccount',
      version: '2',
      chainId: 80001,
      verifyingContract: address,
      salt: zeroHash,
    },
    extensions: [],
    fields: '0x0f',
  })
  for (const message of ['0x', '0x01', keccak256('0x')] as Hex[]) {
    const hashed = await read.readContract({ ...account, functionName: 'getMessageHash', args: [message] })
    expect(hashed).toBe(hashTypedData(wrapped(address, message)))
  }
})
