import { encodeFunctionData, type Hex, hashMessage, hashTypedData, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createLightAccount,
  implementationSlot,
  isValid,
  lightAccountVersions,
  type TestAccount,
  validate,
  wrapped,
} from '../../../../test/contracts/lightAccounts.ts'
import { startTestChain, type TestChain } from '../../../../test/contracts/testChain.ts'
import { devAccounts } from '../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

const { demo } = devAddresses
const failure = '0xffffffff'
const magic = '0x1626ba7e'
const hash = keccak256(toHex('operation'))
// What every client of the field sends while it has no signature: it recovers to somebody.
const dummy =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
/** What the vectors of all versions share. */
const vector = {
  account: '0xb856DBD4fA1A79a46D426f537455e7d3E79ab7c4',
  owner: devAccounts[0],
  message: '0xa70d0af2ebb03a44dcd0714a8724f622e3ab876d0aa312f0ee04823285d6fb1b',
} as const
const each = test.each(lightAccountVersions)

let chain: TestChain
beforeAll(async () => {
  // The chain of the published signature vectors.
  chain = await startTestChain({ chainId: 80001 })
})
afterAll(() => chain.close())

each('behavior: validateUserOp tells the owner’s signature from others without a revert ($name)', async (version) => {
  const { byKey } = version
  const it = await createLightAccount(chain, version)
  const right = await it.owner.signMessage({ message: { raw: hash } })
  expect(await validate(version, it, byKey(right), hash)).toBe(0n)
  expect(await validate(version, it, byKey(right), keccak256(toHex('another')))).toBe(1n)
  const wrong = [
    await it.stranger.signMessage({ message: { raw: hash } }),
    await it.owner.sign({ hash }),
    dummy,
  ] as const
  for (const signature of wrong) expect(await validate(version, it, byKey(signature), hash)).toBe(1n)
})

each('behavior: signature vectors of public chains ($name)', async (version) => {
  const { abi, byKey, domainVersion, implementation } = version
  const { account: address, message } = vector
  const other = await createLightAccount(chain, version)
  const { read } = other
  const snapshot = await chain.request('evm_snapshot')
  // The account of the vectors: a proxy of the same kind, put where the vectors say it is.
  await chain.request('anvil_setCode', [address, await read.getCode({ address: other.address })])
  const word = `0x${implementation.slice(2).padStart(64, '0')}`
  await chain.request('anvil_setStorageAt', [address, implementationSlot, word])
  const data = encodeFunctionData({ abi, functionName: 'initialize', args: [vector.owner.address] })
  await chain.client(1).transact({ to: address, data })
  const it: TestAccount = { ...other, address, account: { address, abi } }

  const right = byKey(version.vector)
  expect(await isValid(it, hashMessage(message), right)).toBe(magic)
  expect(await isValid(it, hashMessage(`${message} `), right)).toBe(failure)
  expect(await read.verifyMessage({ address, message, signature: right })).toBe(true)
  // As some clients sign it: over another version of the domain.
  for (const foreign of lightAccountVersions.filter((one) => one.domainVersion !== domainVersion))
    expect(await isValid(it, hashMessage(message), byKey(foreign.vector))).toBe(failure)

  const typed = {
    domain: { name: 'App', chainId: 80001 },
    types: { Request: [{ name: 'hello', type: 'string' }] },
    primaryType: 'Request',
    message: { hello: 'world' },
  } as const
  const signer = privateKeyToAccount(vector.owner.privateKey)
  const signature = byKey(await signer.signTypedData(wrapped(address, hashTypedData(typed), domainVersion)))
  expect(await read.verifyTypedData({ ...typed, address, signature })).toBe(true)
  // The next version starts where this one did.
  await chain.request('evm_revert', [snapshot])
})

each('error: ERC-1271 refuses another digest, signer, account, and version ($name)', async (version) => {
  const { byKey, domainVersion, otherDomainVersion } = version
  const it = await createLightAccount(chain, version)
  const digest = hashMessage('hello')
  const right = byKey(await it.owner.signTypedData(wrapped(it.address, digest, domainVersion)))
  expect(await isValid(it, digest, right)).toBe(magic)
  expect(await isValid(it, hashMessage('other'), right)).toBe(failure)
  const wrong = [
    await it.stranger.signTypedData(wrapped(it.address, digest, domainVersion)),
    await it.owner.signTypedData(wrapped(demo, digest, domainVersion)),
    await it.owner.signTypedData(wrapped(it.address, digest, otherDomainVersion)),
    await it.owner.sign({ hash: digest }),
    await it.owner.signMessage({ message: 'hello' }),
  ]
  for (const signature of wrong) expect(await isValid(it, digest, byKey(signature))).toBe(failure)
})

each('behavior: a contract as owner speaks by ERC-1271 ($name)', async (version) => {
  const { byContract, byKey, domainVersion } = version
  const outer = await createLightAccount(chain, version)
  const inner = await createLightAccount(chain, version, outer.address)
  const digest = hashMessage('hello')
  const inside = hashTypedData(wrapped(inner.address, digest, domainVersion))
  const signed = async (by: TestAccount, of: Hex) =>
    byContract(byKey(await by.owner.signTypedData(wrapped(outer.address, of, domainVersion))))
  expect(await isValid(inner, digest, await signed(outer, inside))).toBe(magic)
  expect(await isValid(inner, digest, await signed(inner, inside))).toBe(failure)

  expect(await validate(version, inner, await signed(outer, hash), hash)).toBe(0n)
  expect(await validate(version, inner, await signed(inner, hash), hash)).toBe(1n)
  // The outer account's owner is not the inner one's: only the contract is.
  const key = byKey(await outer.owner.signMessage({ message: { raw: hash } }))
  expect(await validate(version, inner, key, hash)).toBe(1n)
  // What the owner refuses, if need be with a revert, is refused, and reverts nothing.
  expect(await validate(version, inner, byContract('0x'), hash)).toBe(1n)
})

each('behavior: a contract owner that answers nonsense is not believed ($name)', async (version) => {
  const { abi, byContract } = version
  const answers: Record<string, Hex> = {
    'the magic value with a dirty tail': `0x7f${magic.slice(2)}${'00'.repeat(27)}0160005260206000f3`,
    'four bytes only': `0x63${magic.slice(2)}60e01b60005260046000f3`,
    nothing: '0x00',
    'a revert': '0x60006000fd',
  }
  for (const [answer, code] of Object.entries(answers)) {
    const liar = (await chain.freshAccount()).address
    await chain.request('anvil_setCode', [liar, code])
    const it = await createLightAccount(chain, version, liar)
    expect(await isValid(it, hashMessage('x'), byContract('0x')), answer).toBe(failure)
  }
  const honest = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [honest, `0x63${magic.slice(2)}60e01b60005260206000f3`])
  const it = await createLightAccount(chain, version)
  const data = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [honest] })
  await it.by.transact({ to: it.address, data })
  expect(await isValid(it, hashMessage('x'), byContract('0x'))).toBe(magic)
})

each('behavior: the hash of a message agrees with EIP-712 ($name)', async (version) => {
  const { account, address, read } = await createLightAccount(chain, version)
  for (const message of ['0x', '0x01', keccak256('0x')] as const) {
    const hashed = await read.readContract({ ...account, functionName: 'getMessageHash', args: [message] })
    expect(hashed).toBe(hashTypedData(wrapped(address, message, version.domainVersion)))
  }
})
