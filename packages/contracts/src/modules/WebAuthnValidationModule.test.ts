import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import {
  call,
  createOperation,
  encodeDeferred,
  execute,
  handle,
  hashOperation,
  installSigner,
  isValid,
  modularAccountV2,
  modules,
  type Operation,
  runtimeCall,
  toDeferredTypedData,
  toEntity,
  toLocator,
  validate,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { accountFactoryAbi, webAuthnFactoryAbi } from '@latchkey/testkit/contracts/modularAccountV2Abis'
import {
  type AssertionDeviation,
  createPasskey,
  createPasskeyAccount,
  encodeAssertion,
  encodePasskey,
  type PasskeyAccount,
} from '@latchkey/testkit/contracts/passkeys'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import {
  type Abi,
  concat,
  encodeFunctionData,
  type Hex,
  hashMessage,
  hashTypedData,
  numberToHex,
  parseAbi,
  parseEventLogs,
  sha256,
} from 'viem'
import { expect } from 'vitest'
import { devAccountOf } from '../../../dev/src/chain/devAccounts.ts'

const nobody = '0x000000000000000000000000000000000000dEaD'
const address = modules.WebAuthnValidationModule
const abi = parseAbi([
  'function transferSigner(uint32 entityId, uint256 x, uint256 y)',
  'function signers(uint32 entityId, address account) view returns (uint256 x, uint256 y)',
  'function replaySafeHash(address account, bytes32 hash) view returns (bytes32)',
])

let chain: TestChain
let it: PasskeyAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createPasskeyAccount(chain)
})

async function signed(callData: Hex, deviation?: AssertionDeviation, passkey = it.passkey): Promise<Operation> {
  const unsigned = await createOperation(chain, it, callData, { signature: '0xff' })
  const challenge = hashMessage({ raw: hashOperation(chain, unsigned) })
  return { ...unsigned, signature: concat(['0xff', encodeAssertion(passkey, challenge, deviation)]) }
}

/** Addresses on public chains, computed by the makers' package. */
const x = 0x65559b0a7fd6d6ae4a7b7f0e2a4c3d5f7d1a0f5f8d1f3a4b5c6d7e8f90a1b2c3n
const y = 0x2f1e0d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0n
test.each([
  [0, '0xbBa08dEccaFc081d8ca1ae4a754Cc52985dB161D'],
  [1, '0xaCffC95Cb3ee2d26f3cC3226cA10d7e11D905205'],
])('has the public address of a passkey’s account with id %s', async (entityId, expected) => {
  const factories = [modularAccountV2.webAuthnFactory, modularAccountV2.factory]
  const args = [x, y, 0n, entityId]
  const addresses = await Promise.all(
    factories.map((factory) =>
      it.read.readContract({ address: factory, abi: accountFactoryAbi, functionName: 'getAddressWebAuthn', args }),
    ),
  )
  expect(addresses[0]).toBe(expected)
  expect(addresses[1]).not.toBe(expected)
})

test('has a factory with the published functions and errors', async () => {
  const nameOf = (item: Abi[number]) => ('name' in item ? `${item.type} ${item.name}` : item.type)
  const published = new Set(webAuthnFactoryAbi.map(nameOf))
  const own = new Set(readArtifact('WebAuthnFactory').abi.map(nameOf))
  expect([...published].filter((name) => !own.has(name))).toEqual([])
  expect([...own].filter((name) => !published.has(name))).toEqual(['constructor', 'receive'])
  const factory = { address: modularAccountV2.webAuthnFactory, abi: accountFactoryAbi } as const
  expect(await it.read.readContract({ ...factory, functionName: 'owner' })).toBe(devAccountOf.paymasterOwner.address)
  const args = [it.passkey.x, it.passkey.y, 5n, 3]
  const data = encodeFunctionData({ ...factory, functionName: 'createWebAuthnAccount', args })
  const { logs } = await it.by.transact({ to: factory.address, data })
  expect(parseEventLogs({ abi: factory.abi, logs, eventName: 'WebAuthnModularAccountDeployed' })).toHaveLength(1)
  expect((await it.by.transact({ to: factory.address, data })).logs).toEqual([])
})

test('has the published functions', () => {
  const { missing } = compareAbis(readArtifact('WebAuthnValidationModule').abi, abi)
  expect(missing).toEqual([])
})

test('runs an operation that its passkey signed', async () => {
  expect(await handle(chain, await signed(execute(nobody, 1n)))).toEqual([{ success: true, reason: '0x' }])
  const read = { ...it.account, functionName: 'getValidationData', args: [toEntity(address, 0)] }
  expect(await it.read.readContract(read)).toMatchObject({ validationFlags: 7, selectors: [] })
})

const hash32 = sha256('0x01')
const deviations: [string, AssertionDeviation][] = [
  ['a high s', { highS: true }],
  ['another challenge', { challenge: hash32 }],
  ['a longer challenge', { challenge: concat([hash32, '0x00']) }],
  ['the type of a registration', { type: 'webauthn.create' }],
  ['a type that begins like it', { type: 'webauthn.getx' }],
  ['no user present', { flags: 0x04 }],
  ['no flags', { flags: 0 }],
  ['short authenticator data', { authenticatorData: `0x${'01'.repeat(36)}` }],
  ['no authenticator data', { authenticatorData: '0x' }],
  ['no client data', { clientDataJSON: '' }],
  ['client data that are no JSON', { clientDataJSON: 'nonsense' }],
  ['client data without a challenge', { clientDataJSON: '{"type":"webauthn.get"}' }],
  ['the challenge elsewhere', { challengeIndex: 0n }],
  ['the type elsewhere', { typeIndex: 2n }],
  ['a challenge beyond the end', { challengeIndex: 10_000n }],
  ['a type beyond all', { typeIndex: 2n ** 256n - 1n }],
]
test.each(deviations)('refuses an assertion with %s', async (_, deviation) => {
  expect(await validate(chain, it, await signed(execute(nobody), deviation))).toBe(1n)
})

test('accepts a passkey that does not verify its user, and more client data', async () => {
  expect(await validate(chain, it, await signed(execute(nobody), { flags: 0x01 }))).toBe(0n)
  const operation = await createOperation(chain, it, execute(nobody), { signature: '0xff' })
  const challenge = hashMessage({ raw: hashOperation(chain, operation) })
  const text = Buffer.from(challenge.slice(2), 'hex').toString('base64url')
  const clientDataJSON = `{"other":"first","challenge":"${text}","type":"webauthn.get","crossOrigin":false}`
  const signature = concat(['0xff', encodeAssertion(it.passkey, challenge, { clientDataJSON })])
  expect(await validate(chain, it, { ...operation, signature })).toBe(0n)
})

test('refuses another passkey, and one that was replaced', async () => {
  const other = createPasskey()
  expect(await validate(chain, it, await signed(execute(nobody), {}, other))).toBe(1n)
  const args = [0, other.x, other.y] as const
  const rotate = execute(address, 0n, encodeFunctionData({ abi, functionName: 'transferSigner', args }))
  await handle(chain, await signed(rotate))
  expect(await validate(chain, it, await signed(execute(nobody)))).toBe(1n)
  expect(await validate(chain, it, await signed(execute(nobody), {}, other))).toBe(0n)
  const signers = { address, abi, functionName: 'signers', args: [0, it.address] } as const
  expect(await it.read.readContract(signers)).toEqual([other.x, other.y])
  it = { ...it, passkey: other }
})

test('reverts for what is no assertion', async () => {
  const operation = await createOperation(chain, it, execute(nobody), { signature: '0xff00' })
  await expect(validate(chain, it, operation)).rejects.toThrow()
})

test('makes no calls of its own', async () => {
  const args = [execute(nobody), '0x0100000000ff']
  const request = { ...it.account, functionName: 'executeWithRuntimeValidation', args, account: it.owner.address }
  expect(await readRevert(it.read.simulateContract(request))).toEqual({ name: 'NotAuthorized', args: [] })
  expect(runtimeCall(execute(nobody))).toMatch(/^0xf2680c0f/)
})

test('keeps the digest of the makers’ vector, for the chain at hand', async () => {
  const account = '0x7A546bF84e0b86374B2A765F2c294548363D279a'
  const hash = '0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750'
  const digestOn = (chainId: number) =>
    hashTypedData({
      domain: { chainId, verifyingContract: address, salt: concat([numberToHex(0, { size: 12 }), account]) },
      types: { ReplaySafeHash: [{ name: 'hash', type: 'bytes32' }] },
      primaryType: 'ReplaySafeHash',
      message: { hash },
    })
  expect(digestOn(11155111)).toBe('0x485683e2fd37569b8a2ca295bbe819c3fbe542633ed30c5c1c763e77fd4f3b79')
  const read = { address, abi, functionName: 'replaySafeHash', args: [account, hash] } as const
  expect(await it.read.readContract(read)).toBe(digestOn(chain.chainId))
})

test('verifies signatures of messages (ERC-1271)', async () => {
  const hash = hashMessage('hello')
  const read = { address, abi, functionName: 'replaySafeHash', args: [it.address, hash] } as const
  const challenge = await it.read.readContract(read)
  const good = concat([toLocator(0), '0xff', encodeAssertion(it.passkey, challenge)])
  expect(await isValid(it, hash, good)).toBe('0x1626ba7e')
  expect(await isValid(it, hash, concat([toLocator(0), '0xff', encodeAssertion(it.passkey, hash)]))).toBe('0xffffffff')
  expect(await isValid(it, sha256(hash), good)).toBe('0xffffffff')
})

test('approves a deferred action', async () => {
  const install = installSigner(it.stranger.address, 5)
  const nonce = ((5n << 8n) | 2n) << 64n
  const digest = hashTypedData(toDeferredTypedData(chain.chainId, it.address, { nonce, call: install }))
  const approve = async (challenge: Hex) => {
    const approval = encodeAssertion(it.passkey, challenge)
    const prefix = await encodeDeferred(chain, it, { nonce, call: install, approval })
    return createOperation(chain, it, execute(nobody, 1n), { signer: it.stranger, entityId: 5, options: 2, prefix })
  }
  const wrong = validate(chain, it, await approve(sha256('0x02')))
  expect((await readRevert(wrong)).name).toBe('DeferredActionSignatureInvalid')
  expect(await handle(chain, await approve(digest))).toMatchObject([{ success: true }])
})

test('is an owner beside another, and forgets its key when it is uninstalled with data', async () => {
  const other = createPasskey()
  const config = concat([toEntity(address, 9), '0x07'])
  const signers = { address, abi, functionName: 'signers', args: [9, it.address] } as const
  await handle(chain, await signed(call('installValidation', config, [], encodePasskey(9, other), [])))
  expect(await it.read.readContract(signers)).toEqual([other.x, other.y])
  const remove = call('uninstallValidation', toEntity(address, 9), numberToHex(9, { size: 32 }), [])
  await handle(chain, await signed(remove))
  expect(await it.read.readContract(signers)).toEqual([0n, 0n])
})
