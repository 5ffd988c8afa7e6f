import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import {
  type Address,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  maxUint256,
  parseAbi,
  parseEther,
  slice,
  walletActions,
  zeroAddress,
  zeroHash,
} from 'viem'
import type { BundlerClientConfig } from 'viem/account-abstraction'
import { describe, expect, test } from 'vitest'
import { getEntryPointAddress } from '../../../core/chains/getEntryPointAddress.ts'
import { getPluginAddress } from '../../../core/chains/getPluginAddress.ts'
import { modularAccountActions } from '../../modularAccount/modularAccountActions.ts'
import { toModularAccount } from '../../modularAccount/toModularAccount.ts'
import type { OwnerParameter } from '../../owner.ts'
import type { LatchkeyAccount } from '../../types.ts'
import { sessionKeyAccessListType } from './permissions.ts'
import { SessionKeyPermissionsBuilder } from './SessionKeyPermissionsBuilder.ts'
import { sessionKeyPluginActions } from './sessionKeyPluginActions.ts'

const other: Address = '0x1111111111111111111111111111111111111111'
const minter: Address = '0x3333333333333333333333333333333333333333'
const payer: Address = '0x2222222222222222222222222222222222222222'
const plugin = getPluginAddress({ name: 'SessionKeyPlugin' })
// Uses its own chain, because the tests place a paymaster at a fixed address.
const stage = setChain({ isOwn: true })

type Paying = Pick<BundlerClientConfig, 'paymaster'>
const clientOf = <account extends LatchkeyAccount>(account: account, paying: Paying = {}) =>
  stage.createBundler(account, paying).extend(modularAccountActions).extend(sessionKeyPluginActions)

const builder = () => new SessionKeyPermissionsBuilder()
const transfer = (to: Address, value: bigint) =>
  encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [to, value] })
/** Returns the owner's client of an account with 1000 tokens and the plugin. With `permissions`, adds a session key. */
async function setUp(permissions?: SessionKeyPermissionsBuilder) {
  const [owner, key] = [newKey(), newKey()]
  const account = await stage.funded(await toModularAccount({ client: stage.reader, owner }))
  const { chain } = stage.reader
  const tester = createTestClient({ mode: 'anvil', chain, transport: http(stage.nodeUrl) }).extend(walletActions)
  await tester.impersonateAccount({ address: minter })
  await tester.setBalance({ address: minter, value: parseEther('10') })
  const tokens = { address: demo, abi: demoAbi, functionName: 'mint', args: [account.address, 1000n] } as const
  await waitForTransaction(stage.reader, await tester.writeContract({ ...tokens, account: minter }))
  const client = clientOf(account)
  const args = permissions ? ([[key.address], [zeroHash], [permissions.encode()]] as const) : undefined
  await client.installSessionKeyPlugin({ ...(args && { args }), waitForTxn: true })
  return { client, account, key, tester, session: await sessionOf(account, key) }
}

async function sessionOf(account: LatchkeyAccount, owner: OwnerParameter, paying?: Paying) {
  return clientOf(await toModularAccount({ client: stage.reader, owner, accountAddress: account.address }), paying)
}

async function placePaymaster(tester: Awaited<ReturnType<typeof setUp>>['tester']) {
  await tester.setCode({ address: payer, bytecode: '0x604060005260606000f3' })
  const [rich = payer] = await tester.getAddresses()
  await tester.setBalance({ address: rich, value: parseEther('10') })
  const abi = parseAbi(['function depositTo(address account) payable'])
  const address = getEntryPointAddress({ chain: stage.reader.chain, version: '0.6.0' })
  const deposit = { address, abi, functionName: 'depositTo', args: [payer], value: parseEther('1') } as const
  await waitForTransaction(stage.reader, await tester.writeContract({ ...deposit, account: rich }))
}

function payingBy(paymasterAndData: Address): Paying['paymaster'] {
  const answer = async () => ({ paymasterAndData })
  return { getPaymasterData: answer, getPaymasterStubData: answer }
}

type Session = Awaited<ReturnType<typeof sessionOf>>
type Call = { target: Address; value?: bigint; data?: Hex }

function execute(session: Session, key: { address: Address }, calls: readonly Call[], nonceKey?: bigint) {
  const overrides = nonceKey === undefined ? undefined : { nonceKey }
  return session.executeWithSessionKey({ args: [calls, key.address], overrides, waitForTxn: true })
}

/** Returns the error of a failed attempt as `code: message`. */
async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'accepted',
    (error) => `${error.code}: ${error.shortMessage}`,
  )
}

/** Returns the error of an operation that a session key sends. */
const denial = (
  by: Pick<Awaited<ReturnType<typeof setUp>>, 'session' | 'key'>,
  calls: readonly Call[],
  nonceKey?: bigint,
) => refusalOf(execute(by.session, by.key, calls, nonceKey))

const anything = () => builder().setContractAccessControlType(sessionKeyAccessListType.ALLOW_ALL_ACCESS)

describe('session key lifecycle', () => {
  test('installs, adds, uses, changes, rotates, removes and uninstalls', async () => {
    const { client, account, key, session } = await setUp()
    expect(await client.getInstalledPlugins()).toContain(plugin)
    expect(await client.getAccountSessionKeys()).toEqual([])
    await client.addSessionKey({ key: key.address, tag: zeroHash, permissions: anything().encode(), waitForTxn: true })
    expect(await client.isAccountSessionKey({ key: key.address })).toBe(true)
    await execute(session, key, [{ target: demo, data: transfer(other, 1n) }])

    const permissions = builder().addContractAddressAccessEntry({
      contractAddress: demo,
      isOnList: true,
      checkSelectors: false,
    })
    await client.updateSessionKeyPermissions({ key: key.address, permissions: permissions.encode(), waitForTxn: true })
    expect(await client.getSessionKeyPermissions({ key: key.address })).toMatchObject({ accessType: 0 })
    await execute(session, key, [{ target: demo, data: transfer(other, 2n) }])

    const next = newKey()
    await client.rotateSessionKey({ oldKey: key.address, newKey: next.address, waitForTxn: true })
    expect(await client.getAccountSessionKeys()).toEqual([next.address])
    expect(await denial({ session, key }, [{ target: demo, data: transfer(other, 1n) }])).toContain(
      'it is not a session key of the account, or no longer.',
    )
    await execute(await sessionOf(account, next), next, [{ target: demo, data: transfer(other, 4n) }])

    await client.removeSessionKey({ key: next.address, waitForTxn: true })
    expect(await client.getAccountSessionKeys()).toEqual([])
    await client.uninstallPlugin({ pluginAddress: plugin, waitForTxn: true })
    expect(await client.getInstalledPlugins()).not.toContain(plugin)
    expect(await stage.balanceOf(account.address)).toBe(993n)
  })

  test('refuses to remove, change or read a missing key, to add a known one, and invalid arguments', async () => {
    const { client, key } = await setUp(anything())
    const missing = newKey().address
    const coded = (code: string) => expect.objectContaining({ code })
    await expect(client.removeSessionKey({ key: missing })).rejects.toEqual(coded('SESSION_KEY_NOT_FOUND'))
    await expect(client.rotateSessionKey({ oldKey: missing, newKey: other })).rejects.toEqual(
      coded('SESSION_KEY_NOT_FOUND'),
    )
    await expect(client.getSessionKeyPermissions({ key: missing })).rejects.toEqual(coded('SESSION_KEY_NOT_FOUND'))
    for (const wrong of [
      () => client.removeSessionKey({ key: '0x12' }),
      () => client.rotateSessionKey({ oldKey: key.address, newKey: '0x12' }),
      () => client.addSessionKey({ key: '0x12', tag: zeroHash, permissions: [] }),
      () => client.updateSessionKeyPermissions({ key: '0x12', permissions: [] }),
      () => client.isAccountSessionKey({ key: '0x12' }),
      () => client.executeWithSessionKey({ args: [[{ target: '0x12' }], key.address] }),
      () => client.executeWithSessionKey({ args: [[{ target: demo }], '0x12'] }),
      () => client.isOwnerOf({ address: '0x12' }),
      () => client.ownersOf({ account: '0x12' }),
      () => client.installPlugin({ pluginAddress: '0x12' }),
      () => client.isAccountSessionKey({ key: key.address, pluginAddress: '0x12' }),
    ])
      await expect(wrong()).rejects.toEqual(coded('ADDRESS_INVALID'))
    for (const wrong of [
      () => client.addSessionKey({ key: missing, tag: '0x12', permissions: [] }),
      () => client.addSessionKey({ key: missing, tag: `${zeroHash}00`, permissions: [] }),
      () => client.addSessionKey({ key: missing, tag: zeroHash, permissions: ['0x123456'] }),
      () => client.updateSessionKeyPermissions({ key: key.address, permissions: ['0x'] }),
      () =>
        client.addSessionKey({ key: missing, tag: zeroHash, permissions: new SessionKeyPermissionsBuilder() as never }),
      () => client.installSessionKeyPlugin({ args: [[missing], [], [[]]] }),
      () => client.installSessionKeyPlugin({ args: [[missing], ['0x12'], [[]]] }),
      () => client.executeWithSessionKey({ args: [[{ target: demo, data: '0x123' }], key.address] }),
      () => client.executeWithSessionKey({ args: [[{ target: demo, value: -1n }], key.address] }),
      () => client.installPlugin({ pluginAddress: plugin, manifestHash: '0x12' }),
      () => client.uninstallPlugin({ pluginAddress: plugin, callbackGasLimit: -1n }),
      () => client.getExecutionHooks({ selector: '0x12' }),
    ])
      await expect(wrong()).rejects.toEqual(coded('ARGUMENT_INVALID'))
    const named = (errorName: string) => expect.objectContaining({ code: 'CONTRACT_REVERTED', errorName })
    const permissions = builder().encode()
    await expect(client.updateSessionKeyPermissions({ key: missing, permissions })).rejects.toEqual(
      named('InvalidSessionKey'),
    )
    for (const wrong of [key.address, zeroAddress])
      await expect(client.addSessionKey({ key: wrong, tag: zeroHash, permissions })).rejects.toEqual(
        named('InvalidSessionKey'),
      )
  })
})

describe('session key permissions', () => {
  const call = { target: demo, data: transfer(other, 1n) }
  const onDemo = { contractAddress: demo, isOnList: true }

  test('denies everything without permissions', async () => {
    const { session, key } = await setUp(builder())
    expect(await denial({ session, key }, [call])).toBe(
      `SESSION_KEY_DENIED: The session key ${key.address} may not do this: it may not call ${demo}.`,
    )
    await expect(execute(session, key, [])).rejects.toMatchObject({ code: 'USER_OPERATION_INVALID' })
  })

  test('denies contracts and functions outside an allowlist or on a denylist', async () => {
    const allowed = await setUp(
      builder()
        .addContractAddressAccessEntry({ ...onDemo, checkSelectors: true })
        .addContractFunctionAccessEntry({ ...onDemo, methodSelector: '0xa9059cbb' }),
    )
    await execute(allowed.session, allowed.key, [call])
    expect(await denial(allowed, [{ target: other }])).toContain(`it may not call ${other}.`)
    expect(await denial(allowed, [call, { target: demo, data: mint(other, 1n).data }])).toContain(
      `it may not call function 0x40c10f19 of ${demo}.`,
    )

    const denied = await setUp(
      builder()
        .setContractAccessControlType(sessionKeyAccessListType.DENYLIST)
        .addContractAddressAccessEntry({ ...onDemo, checkSelectors: false }),
    )
    expect(await denial(denied, [call])).toContain(`it may not call ${demo}.`)
    await execute(denied.session, denied.key, [{ target: other }])
  })

  test('denies operations before and after the time range', async () => {
    const now = Number((await stage.reader.getBlock()).timestamp)
    const early = await setUp(anything().setTimeRange({ validFrom: now + 36_000, validUntil: 0 }))
    expect(await denial(early, [call])).toContain('it is valid only from ')
    const late = await setUp(anything().setTimeRange({ validFrom: 0, validUntil: now - 36_000 }))
    expect(await denial(late, [call])).toContain('it expired at ')
    const open = await setUp(anything().setTimeRange({ validFrom: now - 36_000, validUntil: now + 36_000 }))
    await execute(open.session, open.key, [call])
  })

  test('denies native token above the limit: none by default, all with the highest', async () => {
    const none = await setUp(anything())
    expect(await denial(none, [{ target: other, value: 1n }])).toContain('it may spend 0 wei, and the calls spend 1.')
    for (const refreshInterval of [0, 36_000]) {
      const until = refreshInterval > 0 ? ' until \\d{4}-.+Z' : ''
      const some = await setUp(anything().setNativeTokenSpendLimit({ spendLimit: 10n, refreshInterval }))
      const spend = (value: bigint) => execute(some.session, some.key, [{ target: other, value }])
      await spend(6n)
      const lower = (spendLimit: bigint) => {
        const permissions = anything().setNativeTokenSpendLimit({ spendLimit, refreshInterval }).encode()
        return some.client.updateSessionKeyPermissions({ key: some.key.address, permissions, waitForTxn: true })
      }
      await lower(5n)
      expect(await refusalOf(spend(0n))).toMatch(new RegExp(`it may spend -1 wei${until}, and the calls spend 0\\.$`))
      await lower(10n)
      expect(await refusalOf(spend(5n))).toMatch(new RegExp(`it may spend 4 wei${until}, and the calls spend 5\\.$`))
    }
    const all = await setUp(anything().setNativeTokenSpendLimit({ spendLimit: maxUint256 }))
    await execute(all.session, all.key, [{ target: other, value: 1000n }])
    // The limit was removed, but the account does not have enough ether.
    const beyond = execute(all.session, all.key, [{ target: other, value: parseEther('2') }])
    expect(await refusalOf(beyond)).toMatch(/^CONTRACT_REVERTED/)
  })

  test('denies tokens above the limit, and other functions of a limited token', async () => {
    const limit = { tokenAddress: demo, spendLimit: 10n }
    const { client, session, key } = await setUp(anything().addErc20TokenSpendLimit(limit))
    await execute(session, key, [{ target: demo, data: transfer(other, 7n) }])
    const read = await client.getSessionKeyPermissions({ key: key.address, tokens: [demo, other] })
    expect(read.tokenLimits).toMatchObject([{ limit: 10n, limitUsed: 7n }, { hasLimit: false }])
    // Two spellings of a token's address are the same token.
    const twice = [demo, demo.toLowerCase() as Address].map((target) => ({ target, data: transfer(other, 2n) }))
    for (const calls of [[{ target: demo, data: transfer(other, 4n) }], twice])
      expect(await denial({ session, key }, calls)).toContain(
        `it may spend 3 of the token ${demo}, and the calls spend 4.`,
      )
    for (const data of [mint(other, 1n).data, slice(transfer(other, 1n), 0, 67)])
      expect(await denial({ session, key }, [{ target: demo, data }])).toContain(
        'it may call transfer and approve only.',
      )
  })

  test('denies gas above the limit and a foreign nonce key', async () => {
    const { session, key } = await setUp(anything().setGasSpendLimit({ spendLimit: parseEther('0.02') }))
    expect(await denial({ session, key }, [call])).toContain('pass `overrides.nonceKey = BigInt(sessionKey)`')
    await execute(session, key, [call], BigInt(key.address))
    const poor = await setUp(anything().setGasSpendLimit({ spendLimit: 1n }))
    expect(await denial(poor, [call], BigInt(poor.key.address))).toContain(
      'it may spend 1 wei on gas, and the operation may cost more.',
    )
  })

  test('denies operations without the required paymaster, and blames it for no other refusal', async () => {
    const { account, session, key, tester } = await setUp(anything().setRequiredPaymaster(payer))
    expect(await denial({ session, key }, [call])).toContain(
      `its operations have to be paid for by the paymaster ${payer}.`,
    )
    await placePaymaster(tester)
    const paid = await sessionOf(account, key, { paymaster: payingBy(payer) })
    await execute(paid, key, [call])
    expect(await refusalOf(execute(paid, key, [{ target: demo, data: transfer(other, 10n ** 30n) }]))).toMatch(
      /^CONTRACT_REVERTED/,
    )
    const away = () => Promise.reject(new TypeError('away'))
    const paymaster = { getPaymasterData: away, getPaymasterStubData: away }
    const alone = await sessionOf(account, key, { paymaster })
    expect(await refusalOf(execute(alone, key, [call]))).toMatch(/^RPC_FAILED/)
  })
})
