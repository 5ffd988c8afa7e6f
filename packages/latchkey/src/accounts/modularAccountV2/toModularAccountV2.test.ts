import { createClient, hashTypedData, http } from 'viem'
import { toWebAuthnAccount } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import { mainnet, sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { toDeferredActionTypedData } from './deferredAction.ts'
import { predictModularAccountV2Address } from './predictModularAccountV2Address.ts'
import { toModularAccountV2 } from './toModularAccountV2.ts'

const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const second = privateKeyToAccount(`0x${'22'.repeat(32)}`)
/** Client whose requests all fail, because no server listens on port 9. */
const client = createClient({ chain: sepolia, transport: http('http://127.0.0.1:9', { retryCount: 0 }) })
const accountAddress = '0x7A546bF84e0b86374B2A765F2c294548363D279a'

test.each([
  [0n, accountAddress],
  [1n, '0x4130D95cE7f82FAf6BD7E406496582b41ac70072'],
  [12345678901234567890n, '0x684AB6fa29566eb84Ffb72984230EB84609ae4ca'],
  [2n ** 256n - 1n, '0x469Afc2e211Da81C54D7E626B2Ef563326712d8E'],
] as const)('predicts the published address for salt %s', async (salt, address) => {
  expect(predictModularAccountV2Address({ owner: owner.address, salt })).toBe(address)
  const account = await toModularAccountV2({ client, owner, salt })
  expect(account).toMatchObject({
    address,
    source: 'ModularAccountV2',
    version: 'v2.0.0',
    entryPointVersion: '0.7.0',
    publicKey: owner.address,
  })
  const initCode = await account.getFactoryInitCode()
  const digits = [owner.address.slice(2).toLowerCase(), salt.toString(16)]
    .map((part) => part.padStart(64, '0'))
    .join('')
  expect(initCode).toBe(`0x00000000000017c61b5bee81050ec8efc9c6fecd8b4e464e${digits}`)
})

test('predicts the published addresses of accounts with a single-signer module', async () => {
  const mode = 'single-signer'
  const first = { mode, signerEntity: { entityId: 1 } } as const
  expect((await toModularAccountV2({ client, owner, ...first })).address).toBe(
    '0x0afD25e8607B02d834Aa58b87572e4359407D01B',
  )
  expect(predictModularAccountV2Address({ owner: owner.address, mode, salt: 7n, entityId: 4294967294 })).toBe(
    '0xFAD35baaBC1b64D460e09209736f8EDa14D2ADB9',
  )
})

test('gives the recorded signature of a user operation', async () => {
  const account = await toModularAccountV2({ client, owner })
  const hash = '0xe4e538e9c5d8b9e37739cf3733349fb0fc4b5b8ad6802f590edb4f84724e3149'
  expect(await account.signUserOperationHash(hash)).toBe(
    '0xff008a0464c80b05a7be71e9a30153d848fcc6e0c3419926befca55b9506689e8a0c0cf983cb66c8049263429a64a14b4879d6c876f8bf9d70d3e92e52029c9b365b1b',
  )
  expect((await account.getStubSignature()).length).toBe((await account.signUserOperationHash(hash)).length)
})

test('gives the recorded signatures of a message', async () => {
  const account = await toModularAccountV2({ client, owner })
  expect(await account.signMessage({ message: 'hello' })).toBe(
    '0x0000000000ff00c2eef1e599600d1a2fbbf6dca0f94e1fdb0fbc018a0b4fa567c3e80525042b525798d186bbdc44ac0cbaa909e663fc674b3f0cee595325e1b1e7d1f5f596fd1f1b',
  )
  const signerEntity = { entityId: 1, hasExecutionHooks: false }
  const inModule = await toModularAccountV2({ client, owner: second, accountAddress, signerEntity })
  expect(await inModule.signMessage({ message: 'hello' })).toBe(
    '0x0000000001ff001e666896ed66ad504999b6c1fd391693679867c601cdeaa75e02e2ddb56b81ed0dc18fb63c83ab70e9a0c7c677d39abffe51a5edc95a4062410434b00ed710451b',
  )
})

test.each([
  [0n, { entityId: 0 }, '0x1'],
  [0n, { entityId: 1, hasExecutionHooks: false }, '0x100'],
  [5n, { entityId: 4294967295, isGlobalValidation: true, hasExecutionHooks: false }, '0x5ffffffff01'],
] as const)('puts the entity id into the nonce key (%s, %o)', async (key, signerEntity, encoded) => {
  const account = await toModularAccountV2({ client, owner, accountAddress, signerEntity })
  const nonceKey = await account.toNonceKey(key)
  expect(`0x${nonceKey.toString(16)}`).toBe(encoded)
  expect(account.readNonceKey((nonceKey << 64n) + 3n)).toBe(key)
})

test('refuses a nonce key above 152 bits and an entity id above 32', async () => {
  const account = await toModularAccountV2({ client, owner })
  const invalid = { code: 'ARGUMENT_INVALID' }
  await expect(account.toNonceKey(2n ** 152n)).rejects.toMatchObject(invalid)
  const signerEntity = { entityId: 2 ** 32, hasExecutionHooks: false }
  const other = await toModularAccountV2({ client, owner, accountAddress, signerEntity })
  await expect(other.toNonceKey(0n)).rejects.toMatchObject(invalid)
})

test('makes a single call of its own without execute', async () => {
  const account = await toModularAccountV2({ client, owner })
  const data = `0x30009d52${'00'.repeat(64)}` as const
  expect(await account.encodeCalls([{ to: account.address, data }])).toBe(data)
  const batch = await account.encodeCalls([
    { to: account.address, data },
    { to: owner.address, value: 1n },
  ])
  expect(batch.slice(0, 10)).toBe('0x34fcd5be')
  expect((await account.encodeCalls([{ to: owner.address, value: 1n }])).slice(0, 10)).toBe('0xb61d27f6')
})

test('refuses calls of its own that the account would revert', async () => {
  const account = await toModularAccountV2({ client, owner })
  const to = account.address
  const nested = await account.encodeCalls([{ to: owner.address, value: 1n }])
  for (const calls of [
    [{ to }],
    [{ to, value: 1n, data: '0x30009d52' }],
    [{ to, data: nested }, { to: owner.address }],
    [{ to: owner.address }, { to, data: '0x1234' }],
  ] as const)
    await expect(account.encodeCalls(calls)).rejects.toMatchObject({ code: 'USER_OPERATION_INVALID' })
})

test('begins call data with executeUserOp for a validation with execution hooks', async () => {
  const signerEntity = { entityId: 1, hasExecutionHooks: true }
  const account = await toModularAccountV2({ client, owner, accountAddress, signerEntity })
  const callData = await account.encodeCalls([{ to: owner.address, value: 1n }])
  expect(callData.slice(0, 18)).toBe('0x8dd7712fb61d27f6')
})

const call =
  '0x1bbf564c00000000000099DE0BF6fA90dEB851E2A2df7d83000000010100000000000000000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000000e000000000000000000000000000000000000000000000000000000000000001400000000000000000000000000000000000000000000000000000000000000002b61d27f60000000000000000000000000000000000000000000000000000000034fcd5be00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004000000000000000000000000000000000000000000000000000000000000000010000000000000000000000001563915e194d8cfba1943570603f7606a31155080000000000000000000000000000000000000000000000000000000000000000'
const action = { nonce: 0x1020000000000000000n, deadline: 1893456000, call } as const
const recordedAction =
  '0x0065bae7692c6a746f6a7908c7ff1570aaa128cf99181afb9de00786ea36dd016359161209af9845eeb5978ce9794cdd18128144d5d10d467d44565e25a21bcbc01c'

test('signs a deferred action as it is, also while undeployed', async () => {
  const account = await toModularAccountV2({ client, owner })
  const typedData = toDeferredActionTypedData({ ...action, account: account.address, chainId: sepolia.id })
  expect(hashTypedData(typedData)).toBe('0x7b485980049e4b4f713e87953547f0a242c7fd0edf40294499d9044fabab5ce6')
  expect(await account.signTypedData(typedData)).toBe(recordedAction)
  expect(await account.signTypedDataWith6492(typedData)).toBe(recordedAction)
})

test('wraps the typed data of another account’s deferred action', async () => {
  const account = await toModularAccountV2({ client, owner })
  const typedData = toDeferredActionTypedData({ ...action, account: owner.address, chainId: sepolia.id })
  expect((await account.signTypedData(typedData)).slice(0, 16)).toBe('0x0000000000ff00')
})

test('carries a deferred action in the signature of its operation only', async () => {
  const account = await toModularAccountV2({
    client,
    owner: second,
    accountAddress,
    signerEntity: { entityId: 1, hasExecutionHooks: false },
    deferredAction: { ...action, signature: recordedAction },
  })
  const hash = `0x${'ab'.repeat(32)}` as const
  const plain = await account.signUserOperationHash(hash)
  expect(plain.slice(0, 6)).toBe('0xff00')
  const content = { chainId: sepolia.id, entryPoint: account.entryPoint.address }
  const carried = await account.signUserOperationHash(hash, { ...content, operation: { nonce: action.nonce } })
  expect(carried).toBe(
    `0x0000017f${'00'.repeat(20)}01000070dbd880${call.slice(2)}00000042${recordedAction.slice(2)}${plain.slice(2)}`,
  )
  const next = { ...content, operation: { nonce: 0x100n << 64n } }
  expect(await account.signUserOperationHash(hash, next)).toBe(plain)
  expect((await account.getStubSignature({ nonce: action.nonce })).length).toBe(carried.length)
})

test('puts the data of validation hooks before the signature', async () => {
  const signerEntity = { entityId: 1, hasExecutionHooks: false, hookData: [{ index: 2, data: '0xaabb' }] } as const
  const account = await toModularAccountV2({ client, owner, accountAddress, signerEntity })
  const hash = `0x${'ab'.repeat(32)}` as const
  const signature = await owner.signMessage({ message: { raw: hash } })
  expect(await account.signUserOperationHash(hash)).toBe(`0x0200000002aabbff00${signature.slice(2)}`)
})

test('uses the address of public chains on a chain of the table', async () => {
  const other = createClient({ chain: mainnet, transport: http('http://127.0.0.1:9', { retryCount: 0 }) })
  expect((await toModularAccountV2({ client: other, owner })).address).toBe(accountAddress)
})

test('predicts the published address of a passkey’s account', async () => {
  const x = '65559b0a7fd6d6ae4a7b7f0e2a4c3d5f7d1a0f5f8d1f3a4b5c6d7e8f90a1b2c3'
  const y = '2f1e0d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0'
  const addresses = ['0xbBa08dEccaFc081d8ca1ae4a754Cc52985dB161D', '0xaCffC95Cb3ee2d26f3cC3226cA10d7e11D905205']
  for (const publicKey of [`0x${x}${y}`, `0x04${x}${y}`] as const) {
    const passkey = toWebAuthnAccount({ credential: { id: 'id', publicKey } })
    for (const [entityId, address] of addresses.entries()) {
      const account = await toModularAccountV2({ client, owner: passkey, mode: 'webauthn', signerEntity: { entityId } })
      expect(account.address).toBe(address)
    }
  }
})

test('refuses a passkey without its public key, and the mode of passkeys for a key', async () => {
  const passkey = toWebAuthnAccount({ credential: { id: 'id', publicKey: '0x1234' } })
  const invalid = { code: 'ARGUMENT_INVALID' }
  await expect(toModularAccountV2({ client, owner: passkey })).rejects.toMatchObject(invalid)
  await expect(toModularAccountV2({ client, owner, mode: 'webauthn' })).rejects.toMatchObject(invalid)
})
