import { message, newKey, setChain, typedData } from '@latchkey/testkit/accounts/setChain'
import { demo, mint } from '@latchkey/testkit/demoToken'
import { type Address, encodeFunctionData, type Hex, hashMessage, hashTypedData, parseAbi, zeroAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { getLightAccountContracts } from '../core/chains/accountContracts.ts'
import type { LightAccountVersion } from '../core/chains/types.ts'
import { getSenderAddress } from './getSenderAddress.ts'
import { getLightAccountVersion } from './lightAccount/getLightAccountVersion.ts'
import { lightAccountActions } from './lightAccount/lightAccountActions.ts'
import { toLightAccount } from './lightAccount/toLightAccount.ts'
import { multiOwnerLightAccountActions } from './multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
import { toMultiOwnerLightAccount } from './multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { OwnerParameter } from './owner.ts'
import { readEip712Domain } from './reads/readEip712Domain.ts'
import { readIsValidSignature } from './reads/readIsValidSignature.ts'

const stage = setChain()

const light = (version: LightAccountVersion) => ({
  name: `LightAccount ${version}`,
  make: (options: { owner: OwnerParameter; accountAddress?: Address; salt?: bigint }) =>
    toLightAccount({ client: stage.reader, version, ...options }),
})
const kinds = [
  light('v1.0.1'),
  light('v1.0.2'),
  light('v1.1.0'),
  light('v2.0.0'),
  {
    name: 'MultiOwnerLightAccount v2.0.0',
    make: (options: { owner: OwnerParameter; accountAddress?: Address; salt?: bigint }) =>
      toMultiOwnerLightAccount({ client: stage.reader, owners: [demo], ...options }),
  },
]

describe.each(kinds)('$name', ({ make }) => {
  test('deploys at the predicted address, batches calls and refuses strangers', async () => {
    const highest = await make({ owner: newKey(), salt: 2n ** 256n - 1n })
    const account = await stage.funded(await make({ owner: newKey() }))
    for (const one of [highest, account]) {
      const initCode = await one.getFactoryInitCode()
      const { address: entryPoint } = one.entryPoint
      expect(await getSenderAddress({ client: stage.reader, entryPoint, initCode })).toBe(one.address)
    }
    expect(await account.getImplementationAddress()).toBe(zeroAddress)
    expect(await account.isDeployed()).toBe(false)
    expect(await stage.send(account, [mint(account.address, 1n), mint(account.address, 2n)])).toBe(0n)
    expect(await account.isDeployed()).toBe(true)
    expect(await account.getInitCode()).toBe('0x')
    expect(await stage.send(account, [mint(account.address, 10n)], 5n)).toBe(5n << 64n)
    expect(await account.getNonce()).toBe(1n)
    expect(await stage.balanceOf(account.address)).toBe(13n)
    const stranger = await make({ owner: newKey(), accountAddress: account.address })
    await expect(stage.createBundler(stranger).sendUserOperation({ calls: [mint(demo, 1n)] })).rejects.toThrow(
      /signature/i,
    )
  })
})

describe.each(kinds.filter(({ name }) => name !== 'LightAccount v1.0.2'))('$name', ({ name, make }) => {
  test('makes signatures that verify before and after deployment, for this account alone', async () => {
    const owner = newKey()
    const account = await stage.funded(await make({ owner }))
    const { address } = account
    const isValid = (signature: Hex) => stage.reader.verifyMessage({ address, message, signature })
    const check = async () => [
      await isValid(await account.signMessageWith6492({ message })),
      await stage.reader.verifyTypedData({
        address,
        ...typedData,
        signature: await account.signTypedDataWith6492(typedData),
      }),
    ]
    expect(await check()).toEqual([true, true])
    const plain = await account.signMessage({ message })
    const wrapped = await account.signMessageWith6492({ message })
    expect(wrapped).toMatch(/(6492){16}$/)
    expect(wrapped).toContain(plain.slice(2))
    // Another account of the same owner has another EIP-712 domain. v1.0.1 has none.
    const sibling = await make({ owner, salt: 9n })
    expect(await isValid(await sibling.signMessageWith6492({ message }))).toBe(name === 'LightAccount v1.0.1')
    await stage.send(account, [mint(address, 1n)])
    expect(await check()).toEqual([true, true])
    expect(await account.signMessageWith6492({ message })).toBe(plain)
    const hash = hashTypedData(typedData)
    expect(await readIsValidSignature(stage.reader, { address, hash, signature: await account.sign({ hash }) })).toBe(
      true,
    )
    const stranger = await make({ owner: newKey(), accountAddress: address })
    for (const signature of [await stranger.signMessage({ message }), '0x', '0x00', '0x05ff'] as const)
      expect(await readIsValidSignature(stage.reader, { address, hash: hashMessage(message), signature })).toBe(false)
  })
})

test.each(['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const)(
  'reads version %s before and after deployment',
  async (version) => {
    const account = await stage.funded(await toLightAccount({ client: stage.reader, owner: newKey(), version }))
    expect(await getLightAccountVersion({ account })).toBe(version)
    await stage.send(account, [mint(demo, 1n)])
    expect(await getLightAccountVersion({ account })).toBe(version)
  },
)

test('signs only operations for LightAccount v1.0.2', async () => {
  const account = await toLightAccount({ client: stage.reader, owner: newKey(), version: 'v1.0.2' })
  const refusal = { code: 'SIGNATURE_UNSUPPORTED', shortMessage: "LightAccount v1.0.2 doesn't support 1271" }
  await expect(account.signMessage({ message })).rejects.toMatchObject(refusal)
  await expect(account.signTypedData(typedData)).rejects.toMatchObject(refusal)
  await expect(account.signMessageWith6492({ message })).rejects.toMatchObject(refusal)
  await expect(account.signTypedDataWith6492(typedData)).rejects.toMatchObject(refusal)
  await expect(account.sign({ hash: hashMessage(message) })).rejects.toMatchObject(refusal)
})

describe.each(['v1.1.0', 'v2.0.0'] as const)('LightAccount %s', (version) => {
  const make = (owner: OwnerParameter, accountAddress?: Address) =>
    toLightAccount({ client: stage.reader, owner, version, accountAddress })

  test('transfers ownership to a key that alone acts afterward', async () => {
    const account = await stage.funded(await make(newKey()))
    await expect(account.getOwnerAddress()).rejects.toMatchObject({
      code: 'OWNER_NOT_FOUND',
      shortMessage: 'could not get on-chain owner',
    })
    const newOwner = newKey()
    const bundler = stage.createBundler(account).extend(lightAccountActions)
    const hash = await bundler.transferOwnership({ newOwner, waitForTxn: true })
    expect((await stage.reader.getTransactionReceipt({ hash })).status).toBe('success')
    expect(await bundler.readOwner()).toBe(newOwner.address)
    expect(await account.getOwnerAddress()).toBe(newOwner.address)
    await expect(bundler.sendUserOperation({ calls: [mint(demo, 1n)] })).rejects.toThrow(/signature/i)
    await stage.send(await make(newOwner, account.address), [mint(account.address, 4n)])
    expect(await stage.balanceOf(account.address)).toBe(4n)
  })

  test('upgrades to the code of another version and keeps the owner', async () => {
    const owner = newKey()
    const account = await stage.funded(await make(owner))
    const { address } = account
    await stage.send(account, [mint(address, 1n)])
    const before = await account.signMessage({ message })
    const target = version === 'v2.0.0' ? 'v1.1.0' : 'v2.0.0'
    const implAddress = getLightAccountContracts({ version: target })?.implementation ?? zeroAddress
    const upgradeTo = { implAddress, initializationData: '0x' } as const
    const bundler = stage.createBundler(account).extend(lightAccountActions)
    const hash = await bundler.upgradeAccount({ upgradeTo, waitForTx: true })
    expect((await stage.reader.getTransactionReceipt({ hash })).logs.length).toBeGreaterThan(0)
    expect(await account.getImplementationAddress()).toBe(implAddress)
    expect(await getLightAccountVersion({ account })).toBe(target)

    const upgraded = await toLightAccount({ client: stage.reader, owner, version: target, accountAddress: address })
    expect(await upgraded.getOwnerAddress()).toBe(owner.address)
    // Nonces of another EntryPoint start at zero, and its operations are signed in the new version's format.
    const isSameEntryPoint = upgraded.entryPoint.version === account.entryPoint.version
    expect(await stage.send(upgraded, [mint(address, 2n)])).toBe(isSameEntryPoint ? 2n : 0n)
    expect(await stage.balanceOf(address)).toBe(3n)
    const signature = await upgraded.signMessage({ message })
    expect(await stage.reader.verifyMessage({ address, message, signature })).toBe(true)
    expect(await stage.reader.verifyMessage({ address, message, signature: before })).toBe(false)
  })

  test('supports a contract as owner (ERC-1271)', async () => {
    const parent = await stage.funded(await toLightAccount({ client: stage.reader, owner: newKey() }))
    await stage.send(parent, [mint(demo, 1n)])
    const account = await stage.funded(await make(parent))
    expect(account.getSigner().isContract).toBe(true)
    await stage.send(account, [mint(account.address, 7n)])
    expect(await account.getOwnerAddress()).toBe(parent.address)
    expect(await stage.balanceOf(account.address)).toBe(7n)
    const { address } = account
    const signature = await account.signMessage({ message })
    if (version === 'v2.0.0') expect(signature.slice(0, 4)).toBe('0x01')
    expect(await stage.reader.verifyMessage({ address, message, signature })).toBe(true)
    const other = await toLightAccount({ client: stage.reader, owner: newKey() })
    const forged = await (await make(other, address)).signMessage({ message })
    expect(await stage.reader.verifyMessage({ address, message, signature: forged })).toBe(false)
  })
})

describe('MultiOwnerLightAccount v2.0.0', () => {
  const make = (owner: OwnerParameter, options: { owners?: Address[]; accountAddress?: Address } = {}) =>
    toMultiOwnerLightAccount({ client: stage.reader, owner, ...options })

  test('adds and removes owners, and refuses removed ones', async () => {
    const [first, second, third] = [newKey(), newKey(), newKey()]
    const account = await stage.funded(await make(first, { owners: [second.address] }))
    const { address: accountAddress } = account
    const bundler = stage.createBundler(account).extend(multiOwnerLightAccountActions)
    const change = { ownersToAdd: [third.address], ownersToRemove: [first.address] }
    await bundler.updateOwners({ ...change, waitForTxn: true })
    expect([...(await bundler.readOwners())].sort()).toEqual([second.address, third.address].sort())
    await expect(account.getOwnerAddresses()).rejects.toMatchObject({
      code: 'OWNER_NOT_FOUND',
      shortMessage: 'on-chain owners does not include the current signer',
    })
    await expect(bundler.sendUserOperation({ calls: [mint(demo, 1n)] })).rejects.toThrow(/signature/i)
    await stage.send(await make(third, { accountAddress }), [mint(accountAddress, 5n)])
    expect(await stage.balanceOf(accountAddress)).toBe(5n)
  })

  test('supports a contract among the owners (signature type 0x02)', async () => {
    const parent = await stage.funded(
      await toLightAccount({ client: stage.reader, owner: newKey(), version: 'v2.0.0' }),
    )
    await stage.send(parent, [mint(demo, 1n)])
    const account = await stage.funded(await make(parent, { owners: [newKey().address] }))
    const { address } = account
    await stage.send(account, [mint(address, 7n)])
    expect(await stage.balanceOf(address)).toBe(7n)
    const signature = await account.signMessage({ message })
    expect(signature.slice(0, 44)).toBe(`0x02${parent.address.slice(2).toLowerCase()}`)
    expect(await stage.reader.verifyMessage({ address, message, signature })).toBe(true)
    const outsider = await toLightAccount({ client: stage.reader, owner: newKey(), version: 'v2.0.0' })
    const forged = await (await make(outsider, { accountAddress: address })).signMessage({ message })
    expect(await stage.reader.verifyMessage({ address, message, signature: forged })).toBe(false)
  })

  test('upgrades to LightAccount code that initializes itself with its own domain', async () => {
    const owner = newKey()
    const account = await stage.funded(await make(owner, { owners: [newKey().address] }))
    const { address } = account
    await stage.send(account, [mint(address, 1n)])
    const bundler = stage.createBundler(account).extend(multiOwnerLightAccountActions)
    const domain = { version: '2', chainId: 31337n, verifyingContract: address }
    expect(await bundler.readEip712Domain()).toMatchObject({ ...domain, name: 'MultiOwnerLightAccount' })
    expect(await getLightAccountVersion({ account })).toBe('v2.0.0')
    await expect(
      bundler.upgradeAccount({ upgradeTo: { implAddress: demo, initializationData: '0x' } }),
    ).rejects.toMatchObject({ code: 'CONTRACT_REVERTED', errorName: 'UpgradeFailed' })

    const implAddress = getLightAccountContracts({ version: 'v2.0.0' })?.implementation ?? zeroAddress
    const abi = parseAbi(['function initialize(address owner)'])
    const initializationData = encodeFunctionData({ abi, functionName: 'initialize', args: [owner.address] })
    const upgradeTo = { implAddress, initializationData }
    await bundler.upgradeAccount({ upgradeTo, waitForTx: true })
    const upgraded = await toLightAccount({ client: stage.reader, owner, version: 'v2.0.0', accountAddress: address })
    expect(await getLightAccountVersion({ account: upgraded })).toBe('v2.0.0')
    expect(await upgraded.getOwnerAddress()).toBe(owner.address)
    expect(await bundler.readEip712Domain()).toMatchObject({ ...domain, name: 'LightAccount' })
    await stage.send(upgraded, [mint(address, 2n)])
    expect(await stage.balanceOf(address)).toBe(3n)
    // The original account object does not support the new implementation.
    await expect(bundler.upgradeAccount({ upgradeTo })).rejects.toMatchObject({
      code: 'IMPLEMENTATION_UNKNOWN',
      shortMessage: 'could not determine if smart account implementation is MultiOwnerLightAccount v2.0.0',
    })
  })
})

test('reports that versions before v2.0.0 have no EIP-712 domain', async () => {
  const account = await stage.funded(await toLightAccount({ client: stage.reader, owner: newKey() }))
  await expect(readEip712Domain(stage.reader, account)).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
  await stage.send(account, [mint(demo, 1n)])
  await expect(readEip712Domain(stage.reader, account)).rejects.toMatchObject({
    code: 'METHOD_NOT_SUPPORTED',
    message: expect.stringContaining('v1.0.1, v1.0.2 and v1.1.0 have none'),
  })
})
