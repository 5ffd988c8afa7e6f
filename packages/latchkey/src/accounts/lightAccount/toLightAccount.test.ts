import { type RpcReply, startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
import { type Chain, createClient, createWalletClient, type Hex, http, zeroHash } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { mainnet, polygonMumbai, sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { readIsValidSignature } from '../reads/readIsValidSignature.ts'
import { toLightAccount } from './toLightAccount.ts'

const owner = mnemonicToAccount('test test test test test test test test test test test junk')
const typedData = {
  types: { Request: [{ name: 'hello', type: 'string' }] },
  primaryType: 'Request',
  message: { hello: 'devnet' },
} as const
async function startRpc(reply: () => RpcReply) {
  const { url, calls } = await startRpcServer(reply)
  return { url: `${url}/v2/secret-key`, requests: calls }
}

/** Client whose requests all fail, because no server listens on port 9. */
const offlineOn = (chain: Chain) => createClient({ chain, transport: http('http://127.0.0.1:9', { retryCount: 0 }) })
const offline = offlineOn(sepolia)
const message = '0xa70d0af2ebb03a44dcd0714a8724f622e3ab876d0aa312f0ee04823285d6fb1b'

test('returns address, version and entry point without a request', async () => {
  const account = await toLightAccount({ client: offline, owner })
  expect(account.address).toBe('0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6')
  expect(account.source).toBe('LightAccount')
  expect(account.version).toBe('v1.1.0')
  expect(account.entryPointVersion).toBe('0.6.0')
  expect(account.entryPoint.address).toBe('0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789')
  expect(account.getSigner().signerType).toBe('local')
})

test.each([
  [
    'v1.1.0',
    '0x394dcd53572e316d1bf7a5f3be71a4189e1ab1269f57691699f7b18b209e340b63d27ae7b314445fd5a9db5a442278fadd3dc022a9e35a1b5ea20e891c22c8b21c',
  ],
  // Domain version 2, as in the deployed contract.
  [
    'v2.0.0',
    '0x002a5d8fcbe5f853016cafb76f65acc36cc932b69c9c1bd65576fa1f64f8e21a39610798ccd1494820cdd12988abb254afc36c61064c0ec8ffaa2834a2a3628d2b1b',
  ],
] as const)('gives the recorded signature of a message for %s, never wrapped', async (version, signature) => {
  const accountAddress = '0xb856DBD4fA1A79a46D426f537455e7d3E79ab7c4'
  const account = await toLightAccount({ client: offlineOn(polygonMumbai), owner, version, accountAddress })
  expect(await account.signMessage({ message })).toBe(signature)
})

test('uses EntryPoint 0.7 for v2.0.0', async () => {
  expect(await toLightAccount({ client: offline, owner, version: 'v2.0.0', salt: 99n })).toMatchObject({
    address: '0x2053A4FEd7eC3fAc2E94f14Bc3771B1532Ed9A99',
    version: 'v2.0.0',
    entryPointVersion: '0.7.0',
    entryPoint: { address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032', version: '0.7' },
  })
})

test('uses nonce key 0 by default, also before deployment', async () => {
  const rpc = await startRpc(() => ({ result: zeroHash }))
  const account = await toLightAccount({ client: createClient({ chain: sepolia, transport: http(rpc.url) }), owner })
  await account.getNonce()
  await account.getNonce({ key: 5n })
  const keys = rpc.requests.map(({ params }) => BigInt(`0x${(params[0] as { data: string }).data.slice(-64)}`))
  expect(rpc.requests.map((request) => request.method)).toEqual(['eth_call', 'eth_call'])
  expect(keys).toEqual([0n, 5n])
})

test('ignores the salt for v1.0.1 and v1.0.2', async () => {
  const client = offlineOn(mainnet)
  for (const [version, address] of [
    ['v1.0.1', '0xCF43F401bba7e23793eAa23d92a872C835505B0e'],
    ['v1.0.2', '0xDec511Bb2610966340dB164c6e948489B445bA9b'],
  ] as const) {
    const account = await toLightAccount({ client, owner, version, salt: 99n })
    expect(account.address).toBe(address)
    expect((await account.getFactoryInitCode()).slice(-64)).toBe('0'.repeat(64))
  }
})

test('signs without a wrapper for v1.0.1', async () => {
  const account = await toLightAccount({ client: offlineOn(mainnet), owner, version: 'v1.0.1' })
  expect(await account.signMessage({ message })).toBe(
    '0x53f3169bd14b5ade19a0488bf04ba94a1afa46549014febf3d20d2850a92c98f200c729d723b0592c8b4cb64c0423bb40c5a7fb49f69f4ef5f71ecc672e782e71b',
  )
  expect(await account.signTypedData(typedData)).toBe(await owner.signTypedData(typedData))
})

test('checks for deployment until the account is deployed', async () => {
  const codes = ['0x', '0x', '0x6001']
  const rpc = await startRpc(() => ({ result: codes.shift() ?? '0x' }))
  const account = await toLightAccount({ client: createClient({ chain: sepolia, transport: http(rpc.url) }), owner })
  const seen = []
  for (let attempt = 0; attempt < 5; attempt++) seen.push(await account.isDeployed())
  expect(seen).toEqual([false, false, true, true, true])
  expect(rpc.requests.map(({ method }) => method)).toEqual(['eth_getCode', 'eth_getCode', 'eth_getCode'])
  expect(await account.getInitCode()).toBe('0x')
  expect(await account.getFactoryArgs()).toEqual({})
})

test('accepts a viem wallet client as owner', async () => {
  const wallet = createWalletClient({ account: owner, chain: sepolia, transport: http('http://127.0.0.1:9') })
  const account = await toLightAccount({ client: offline, owner: wallet })
  const same = await toLightAccount({ client: offline, owner })
  expect(account.address).toBe(same.address)
  expect(await account.signMessage({ message: 'hello' })).toBe(await same.signMessage({ message: 'hello' }))
  expect(await account.signTypedData(typedData)).toBe(await same.signTypedData(typedData))
  expect(await account.signUserOperationHash(zeroHash)).toBe(await same.signUserOperationHash(zeroHash))
})

test('accepts any object with an address and two kinds of signatures as owner', async () => {
  const plain = {
    signerType: 'mine',
    getAddress: async () => owner.address,
    signMessage: owner.signMessage,
    signTypedData: owner.signTypedData,
  }
  const account = await toLightAccount({ client: offline, owner: plain })
  expect(account.getSigner()).toBe(plain)
  expect(await account.signMessage({ message: 'hello' })).toMatch(/^0x[0-9a-f]{130}$/)
  const old = await toLightAccount({ client: offlineOn(mainnet), owner: plain, version: 'v1.0.1' })
  await expect(old.sign({ hash: zeroHash })).rejects.toMatchObject({
    code: 'SIGNATURE_UNSUPPORTED',
    shortMessage: 'The owner cannot sign a bare hash.',
  })
})

test('refuses typed data for another chain', async () => {
  const account = await toLightAccount({ client: offline, owner })
  const wrong = { ...typedData, domain: { name: 'Shop', chainId: 1 } }
  const refusal = {
    code: 'CHAIN_MISMATCH',
    shortMessage: 'The typed data is for chain 1, but the account is on chain 11155111.',
  }
  await expect(account.signTypedData(wrong)).rejects.toMatchObject(refusal)
  await expect(account.signTypedDataWith6492(wrong)).rejects.toMatchObject(refusal)
  expect(await account.signTypedData({ ...typedData, domain: { chainId: 11155111n } })).toMatch(/^0x/)
  // Pages may send a chain id in such a form.
  for (const chainId of ['mainnet', '0x1'] as unknown as number[])
    await expect(account.signTypedData({ ...typedData, domain: { chainId } })).rejects.toMatchObject({
      code: 'CHAIN_MISMATCH',
    })
})

test('refuses an invalid address, and an address that it cannot deploy', async () => {
  await expect(toLightAccount({ client: offline, owner, accountAddress: '0x1234' })).rejects.toMatchObject({
    code: 'ADDRESS_INVALID',
    shortMessage: '0x1234 is not an address.',
  })
  const rpc = await startRpc(() => ({ result: '0x' }))
  const client = createClient({ chain: sepolia, transport: http(rpc.url) })
  const accountAddress = '0x000000000000000000000000000000000000bEEF'
  const account = await toLightAccount({ client, owner, accountAddress })
  const refusal = {
    code: 'ACCOUNT_NOT_FOUND',
    shortMessage: `There is no account at ${accountAddress}, and none can be made there.`,
    metaMessages: expect.arrayContaining([
      'Owners and salt give the address 0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6.',
    ]),
  }
  await expect(account.getFactoryArgs()).rejects.toMatchObject(refusal)
  await expect(account.getInitCode()).rejects.toMatchObject(refusal)
  await expect(account.signMessageWith6492({ message: 'hello' })).rejects.toMatchObject(refusal)
  await expect(account.getOwnerAddress()).rejects.toMatchObject({
    code: 'OWNER_NOT_FOUND',
    shortMessage: 'could not get on-chain owner',
  })
})

test('refuses an invalid salt, init code, call, hash or nonce key', async () => {
  for (const salt of [-1n, 2n ** 256n]) {
    const wrong = { code: 'ARGUMENT_INVALID', shortMessage: `The salt is not a uint256: ${salt}` }
    await expect(toLightAccount({ client: offline, owner, salt })).rejects.toMatchObject(wrong)
    await expect(toLightAccount({ client: offline, owner, salt, version: 'v2.0.0' })).rejects.toMatchObject(wrong)
  }
  for (const initCode of ['0x', '0x12', `0x${'1'.repeat(41)}`, `0x${'zz'.repeat(24)}`] as const) {
    await expect(toLightAccount({ client: offline, owner, initCode })).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
      shortMessage: 'The init code is not valid hex.',
      metaMessages: ['Pass 0x and two hexadecimal digits per byte, 20 bytes at least.'],
    })
  }
  const account = await toLightAccount({ client: offline, owner })
  for (const key of [-1n, 2n ** 192n]) {
    await expect(account.getNonce({ key })).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
      shortMessage: `The nonce key is not a uint192: ${key}`,
    })
  }
  for (const hash of ['0x', '0x12', 'hello'] as Hex[]) {
    const wrong = { code: 'ARGUMENT_INVALID', shortMessage: `${hash} is not a hash.` }
    await expect(account.sign({ hash })).rejects.toMatchObject(wrong)
    await expect(account.signUserOperationHash(hash)).rejects.toMatchObject(wrong)
    await expect(readIsValidSignature(offline, { ...account, hash, signature: '0x' })).rejects.toMatchObject(wrong)
  }
  const to = account.address
  await expect(account.encodeCalls([{ to, value: -1n }])).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  const upgrade = { upgradeToAddress: to, upgradeToInitData: '0x1' } as const
  await expect(account.encodeUpgradeToAndCall(upgrade)).rejects.toMatchObject({
    code: 'ARGUMENT_INVALID',
    shortMessage: 'The call of an upgrade is not valid hex.',
  })
  await expect(
    account.encodeUpgradeToAndCall({ upgradeToAddress: '0x12', upgradeToInitData: '0x' }),
  ).rejects.toMatchObject({ code: 'ADDRESS_INVALID' })
})
