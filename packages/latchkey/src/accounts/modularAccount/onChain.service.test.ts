import { message, newKey, setChain, typedData } from '@latchkey/testkit/accounts/setChain'
import { demo, mint } from '@latchkey/testkit/demoToken'
import { type Address, createPublicClient, type Hex, hashMessage, http, stringToHex, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { getModularAccountContracts } from '../../core/chains/accountContracts.ts'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import { getSenderAddress } from '../getSenderAddress.ts'
import { lightAccountActions } from '../lightAccount/lightAccountActions.ts'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import type { OwnerParameter } from '../owner.ts'
import { accountLoupeActions } from '../plugins/accountLoupe.ts'
import { multiOwnerPluginActions } from '../plugins/multiOwnerPluginActions.ts'
import { pluginManagerActions } from '../plugins/pluginManagerActions.ts'
import { getPluginManifest, getPluginMetadata } from '../plugins/pluginManifest.ts'
import { sessionKeyPluginActions } from '../plugins/sessionKey/sessionKeyPluginActions.ts'
import { readIsValidSignature } from '../reads/readIsValidSignature.ts'
import type { LatchkeyAccount } from '../types.ts'
import { getMSCAUpgradeToData } from './getMSCAUpgradeToData.ts'
import { toModularAccount } from './toModularAccount.ts'

const plugin = getPluginAddress({ name: 'MultiOwnerPlugin' })

const stage = setChain()

const clientOf = <account extends LatchkeyAccount>(account: account) =>
  stage.createBundler(account).extend(accountLoupeActions).extend(pluginManagerActions).extend(multiOwnerPluginActions)

async function make(options: { owner: OwnerParameter; owners?: readonly Address[]; salt?: bigint }) {
  return stage.funded(await toModularAccount({ client: stage.reader, ...options }))
}

async function deploy(options: { owner: OwnerParameter; owners?: readonly Address[] }) {
  const account = await make(options)
  await stage.send(account, [mint(account.address, 1n)])
  return account
}

async function placeAnotherFactory() {
  const known = getModularAccountContracts(stage.reader.chain) ?? { factory: demo, implementation: demo }
  const copy: typeof known = { factory: newKey().address, implementation: newKey().address }
  for (const name of ['factory', 'implementation'] as const) {
    const code = (await stage.reader.getCode({ address: known[name] })) ?? '0x'
    const [from, to] = [known, copy].map(({ implementation }) => implementation.slice(2).toLowerCase())
    await stage.tester.setCode({ address: copy[name], bytecode: code.replaceAll(`${from}`, `${to}`) as Hex })
  }
  return copy
}

test('deploys with the first operation, batches calls and supports parallel nonce keys', async () => {
  const account = await make({ owner: newKey(), owners: [demo.toLowerCase() as Address, newKey().address] })
  const initCode = await account.getFactoryInitCode()
  const { address: entryPoint } = account.entryPoint
  expect(await getSenderAddress({ client: stage.reader, entryPoint, initCode })).toBe(account.address)
  await stage.send(account, [mint(account.address, 1n)])
  expect(await account.isDeployed()).toBe(true)
  await stage.send(account, [mint(account.address, 2n), mint(account.address, 4n)])
  await stage.send(account, [mint(account.address, 8n)], 7n)
  expect(await account.getNonce()).toBe(2n)
  expect(await account.getNonce({ key: 7n })).toBe((7n << 64n) + 1n)
  expect(await stage.balanceOf(account.address)).toBe(15n)
  expect(await account.getImplementationAddress()).toBe('0x0046000000000151008789797b54fdb500E2a61e')
})

test('reads the address from a factory with other code', async () => {
  const { chain } = stage.reader
  const modularAccount = await placeAnotherFactory()
  const elsewhere = { ...chain, custom: { latchkey: { ...chain.custom.latchkey, modularAccount } } }
  const client = createPublicClient({ chain: elsewhere, transport: http(stage.nodeUrl) })
  const owner = newKey()
  const account = await toModularAccount({ client, owner })
  const initCode = await account.getFactoryInitCode()
  const { address: entryPoint } = account.entryPoint
  expect(await getSenderAddress({ client, entryPoint, initCode })).toBe(account.address)
  expect(account.address).not.toBe((await toModularAccount({ client: stage.reader, owner })).address)
})

describe('signatures', () => {
  test('makes signatures that verify before deployment (ERC-6492) and after it (ERC-1271)', async () => {
    const account = await make({ owner: newKey(), owners: [demo] })
    const { address } = account
    const before = await account.signMessageWith6492({ message })
    expect(await stage.reader.verifyMessage({ address, message, signature: before })).toBe(true)
    const typedBefore = await account.signTypedDataWith6492(typedData)
    expect(await stage.reader.verifyTypedData({ address, ...typedData, signature: typedBefore })).toBe(true)
    await stage.send(account, [mint(address, 1n)])
    const after = await account.signMessage({ message })
    expect(await stage.reader.verifyMessage({ address, message, signature: after })).toBe(true)
    expect(await account.signMessageWith6492({ message })).toBe(after)
    const typedAfter = await account.signTypedData(typedData)
    expect(await stage.reader.verifyTypedData({ address, ...typedData, signature: typedAfter })).toBe(true)
  })

  test('computes the same EIP-712 domain as the account', async () => {
    const account = await deploy({ owner: newKey() })
    expect(account.publicKey).toBe(await account.getSigner().getAddress())
    const client = clientOf(account)
    const domain = await client.readEip712Domain()
    expect(domain).toMatchObject({
      name: 'Multi Owner Plugin',
      version: '1.0.0',
      chainId: BigInt(stage.chainId),
      verifyingContract: account.address,
      salt: `${plugin.toLowerCase()}${'0'.repeat(24)}`,
    })
    const signature = await account.signMessage({ message })
    const encoded = client.encodeIsValidSignature({ args: [hashMessage(message), signature] })
    const asked = (data: Hex) => stage.reader.call({ to: account.address, data }).then((answer) => answer.data ?? '0x')
    expect(await asked(encoded)).toBe('0x1626ba7e'.padEnd(66, '0'))
    expect(await asked(client.encodeEip712Domain())).toContain(stringToHex('Multi Owner Plugin').slice(2))
    expect(() => client.encodeIsValidSignature({ args: ['0x12', signature] })).toThrow(
      expect.objectContaining({ code: 'ARGUMENT_INVALID' }),
    )
  })
})

describe('owners', () => {
  test('lets a contract that owns the account sign operations and messages (ERC-1271)', async () => {
    const lightOwner = await toLightAccount({ client: stage.reader, owner: newKey() })
    await stage.funded(lightOwner)
    await stage.send(lightOwner, [mint(demo, 1n)])
    const account = await deploy({ owner: lightOwner })
    await stage.send(account, [mint(account.address, 2n)])
    expect(await stage.balanceOf(account.address)).toBe(3n)
    const { address } = account
    const signature = await account.signMessage({ message })
    expect(await stage.reader.verifyMessage({ address, message, signature })).toBe(true)
    const ofTypedData = await account.signTypedData(typedData)
    expect(await stage.reader.verifyTypedData({ ...typedData, address, signature: ofTypedData })).toBe(true)
    expect(await readIsValidSignature(stage.reader, { address, hash: hashMessage('other'), signature })).toBe(false)
  })

  test('lets every owner act and change the owners', async () => {
    const [first, second, third] = [newKey(), newKey(), newKey()]
    const account = await deploy({ owner: first, owners: [second.address] })
    const client = clientOf(account)
    const sorted = (...keys: { address: Address }[]) => keys.map((key) => key.address).sort(byNumber)
    expect([...(await client.ownersOf())].sort(byNumber)).toEqual(sorted(first, second))
    const as = (owner: OwnerParameter) =>
      toModularAccount({ client: stage.reader, owner, accountAddress: account.address })
    await stage.send(await as(second), [mint(demo, 1n)])
    await client.updateOwners({ args: [[third.address], [second.address]], waitForTxn: true })
    expect([...(await client.readOwners())].sort(byNumber)).toEqual(sorted(first, third))
    expect(await client.isOwnerOf({ address: third.address })).toBe(true)
    expect(await client.isOwnerOf({ address: second.address })).toBe(false)
    await stage.send(await as(third), [mint(demo, 1n)])
    await expect(clientOf(await as(second)).sendUserOperation({ calls: [mint(demo, 1n)] })).rejects.toThrow(
      /signature/i,
    )
  })
})

function byNumber(left: Address, right: Address): number {
  return left.toLowerCase() < right.toLowerCase() ? -1 : 1
}

describe('plugins', () => {
  const updateOwners = '0x39562247'

  test('lists the plugin with its functions and hooks', async () => {
    const client = clientOf(await deploy({ owner: newKey() }))
    expect(await client.getInstalledPlugins()).toEqual([plugin])
    expect(await client.getExecutionFunctionConfig({ selector: updateOwners })).toEqual({
      plugin,
      runtimeValidationFunction: `${plugin.toLowerCase()}00`,
      userOpValidationFunction: `${plugin.toLowerCase()}01`,
    })
    expect(await client.getExecutionHooks({ selector: updateOwners })).toEqual([])
    expect(await client.getPreValidationHooks({ selector: updateOwners })).toEqual({
      preUserOpValidationHooks: [],
      preRuntimeValidationHooks: [],
    })
  })

  const expectRefused = (sending: Promise<Hex>, errorName: string, advice: string) =>
    expect(sending).rejects.toMatchObject({
      code: 'CONTRACT_REVERTED',
      errorName,
      message: expect.stringContaining(advice),
    })

  test('refuses to install twice, with another manifest or without code, and to uninstall an absent plugin', async () => {
    const client = clientOf(await deploy({ owner: newKey() }))
    const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin' })
    const again = client.installMultiOwnerPlugin({ args: [[demo]] })
    await expectRefused(again, 'PluginAlreadyInstalled', 'Uninstall the plugin')
    await expectRefused(client.uninstallPlugin({ pluginAddress }), 'PluginNotInstalled', 'getInstalledPlugins')
    const other = client.installPlugin({ pluginAddress, manifestHash: `0x${'11'.repeat(32)}` })
    await expectRefused(other, 'InvalidPluginManifest', 'another manifest')
    await expect(client.installPlugin({ pluginAddress: demo })).rejects.toMatchObject({ code: 'PLUGIN_NOT_FOUND' })
  })

  test('reports the revert of an install callback', async () => {
    const client = clientOf(await deploy({ owner: newKey() })).extend(sessionKeyPluginActions)
    const twice = client.installSessionKeyPlugin({
      args: [
        [demo, demo],
        [zeroHash, zeroHash],
        [[], []],
      ],
    })
    await expect(twice).rejects.toMatchObject({
      code: 'CONTRACT_REVERTED',
      errorName: 'PluginInstallCallbackFailed',
      shortMessage: expect.stringContaining(`InvalidSessionKey(${demo})`),
    })
    expect(await client.getInstalledPlugins()).toEqual([plugin])
  })

  test('reads the metadata of a plugin', async () => {
    const metadata = await getPluginMetadata(stage.reader, { pluginAddress: plugin })
    expect(metadata).toMatchObject({ name: 'Multi Owner Plugin', version: '1.0.0', author: 'Alchemy' })
    const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin' })
    const { version, permissionDescriptors } = await getPluginMetadata(stage.reader, { pluginAddress })
    expect([version, permissionDescriptors.length]).toEqual(['1.0.1', 4])
    await expect(getPluginMetadata(stage.reader, { pluginAddress: newKey().address })).rejects.toMatchObject({
      code: 'PLUGIN_NOT_FOUND',
    })
  })

  test('refuses missing dependencies and keeps a plugin that others depend on', async () => {
    const client = clientOf(await deploy({ owner: newKey() })).extend(sessionKeyPluginActions)
    const ofNobody = [0, 1].map((functionId) => ({ plugin: demo, functionId }))
    const onNobody = client.installSessionKeyPlugin({ dependencyOverrides: ofNobody })
    await expectRefused(onNobody, 'MissingPluginDependency', 'Install the plugin it builds on first.')
    const onNothing = client.installSessionKeyPlugin({ dependencyOverrides: [] })
    await expectRefused(onNothing, 'InvalidDependenciesProvided', '')
    const dependencyOverrides = [0, 1].map((functionId) => ({ plugin, functionId }))
    await client.installSessionKeyPlugin({ dependencyOverrides, waitForTxn: true })
    const needed = client.uninstallPlugin({ pluginAddress: plugin })
    await expectRefused(needed, 'PluginDependencyViolation', 'Uninstall the plugins that build on it first.')
  })

  test('accepts manifest, forceUninstall and callbackGasLimit for an uninstall', async () => {
    const client = clientOf(await deploy({ owner: newKey() })).extend(sessionKeyPluginActions)
    const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin' })
    await client.installSessionKeyPlugin({ waitForTxn: true })
    const manifest = await getPluginManifest(stage.reader, { pluginAddress })
    const uninstall = { pluginAddress, manifest, callbackGasLimit: 1n }
    await expectRefused(client.uninstallPlugin(uninstall), 'PluginUninstallCallbackFailed', 'forceUninstall')
    const other = { ...manifest, canSpendNativeToken: false }
    await expect(client.uninstallPlugin({ ...uninstall, manifest: other })).rejects.toMatchObject({
      errorName: 'InvalidPluginManifest',
    })
    await client.uninstallPlugin({ ...uninstall, forceUninstall: true, waitForTxn: true })
    expect(await client.getInstalledPlugins()).toEqual([plugin])
  })
})

describe('upgrade of a light account', () => {
  test('turns it into a modular account with the same owner and address', async () => {
    const owner = newKey()
    const light = await toLightAccount({ client: stage.reader, owner })
    await stage.funded(light)
    await stage.send(light, [mint(light.address, 1n)])
    const { implAddress, initializationData, createMAAccount } = await getMSCAUpgradeToData(stage.reader, {
      account: light,
    })
    const client = clientOf(light).extend(lightAccountActions)
    await client.upgradeAccount({ upgradeTo: { implAddress, initializationData }, waitForTx: true })
    const modular = await createMAAccount()
    expect(modular.address).toBe(light.address)
    expect(await modular.getImplementationAddress()).toBe(implAddress)
    expect(await clientOf(modular).ownersOf()).toEqual([owner.address])
    await stage.send(modular, [mint(light.address, 2n), mint(light.address, 3n)])
    expect(await stage.balanceOf(light.address)).toBe(6n)
  })

  test('refuses an account of the other EntryPoint and a chain without the plugin', async () => {
    const other = await toLightAccount({ client: stage.reader, owner: newKey(), version: 'v2.0.0' })
    await expect(getMSCAUpgradeToData(stage.reader, { account: other })).rejects.toMatchObject({
      code: 'ENTRY_POINT_NOT_FOUND',
    })
    const modular = await toModularAccount({ client: stage.reader, owner: newKey() })
    await expect(getMSCAUpgradeToData(stage.reader, { account: modular })).rejects.toMatchObject({
      code: 'UPGRADE_UNSUPPORTED',
    })
    await expect(
      modular.encodeUpgradeToAndCall({ upgradeToAddress: demo, upgradeToInitData: '0x' }),
    ).rejects.toMatchObject({ code: 'UPGRADE_UNSUPPORTED', name: 'UpgradesNotSupported' })
    const light = await toLightAccount({ client: stage.reader, owner: newKey() })
    const chain = { ...stage.reader.chain, custom: {} }
    const bare = createPublicClient({ chain, transport: http(stage.nodeUrl) })
    await expect(getMSCAUpgradeToData(bare, { account: light })).rejects.toMatchObject({
      code: 'PLUGIN_NOT_FOUND',
      shortMessage: 'could not get multi owner plugin address',
    })
  })
})
