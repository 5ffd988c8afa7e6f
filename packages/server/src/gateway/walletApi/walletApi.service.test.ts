import { randomBytes, randomUUID } from 'node:crypto'
import { demo } from '@latchkey/testkit/demoToken'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { newOwner, walletCalls } from '@latchkey/testkit/gateway/walletCalls'
import { test } from '@latchkey/testkit/worker'
import { type Address, concatHex, hashMessage, hashTypedData, numberToHex, parseEther } from 'viem'
import { afterAll, expect } from 'vitest'
import { upsertPolicy } from '../../store/ledger/policies.ts'
import { upsertProject } from '../../store/upsertProject.ts'
import { gatewayApp } from '../app.ts'

// The calls follow `@account-kit` 4.88.5, which uses a URL without a chain at a gateway with several chains.

let gateway: TestGateway
let app: ReturnType<typeof gatewayApp>
const otherKey = randomBytes(16).toString('hex')
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
  app = gatewayApp({
    ...gateway.deps,
    chains: [gateway.chain, { ...gateway.chain, chainId: 10, names: ['opt'], nodeUrls: ['http://127.0.0.1:1'] }],
  })
  const project = { id: 'other', name: 'Other', apiKey: otherKey, redirectUrls: [], allowedOrigins: [] }
  await upsertProject(gateway.db, project)
  await upsertPolicy(gateway.db, { projectId: 'other', id: 'theirs', isDefault: true })
})
afterAll(() => gateway?.close())

const types = {
  'la-v1.0.1': 'LightAccountV1.0.1',
  'la-v1.0.2': 'LightAccountV1.0.2',
  'la-v1.1.0': 'LightAccountV1.1.0',
  'la-v2': 'LightAccountV2.0.0',
  'la-v2-multi-owner': 'LightAccountV2.0.0-MultiOwner',
  'ma-v1-multi-owner': 'MAv1.0.0-MultiOwner',
  'sma-b': 'MAv2.0.0-sma-b',
  'ma-ssv': 'MAv2.0.0-ma-ssv',
} as const
const { ask, requestAccount, accountWith, toCall, sign, settled } = walletCalls(() => ({ app, gateway }))

const sponsored = { paymasterService: { policyId: 'default' } }

test.each(Object.entries(types))('sends calls of %s, sponsored and self-paid', async (accountType, factoryType) => {
  const owner = newOwner()
  const hint = { accountType, salt: '0x0', createAdditional: true }
  const { result: account } = await requestAccount(owner, hint)
  const info = { factoryType, factoryAddress: expect.any(String), factoryData: expect.any(String) }
  expect(account).toEqual({ accountAddress: expect.any(String), id: expect.any(String), counterfactualInfo: info })
  const from = account.accountAddress as Address
  expect((await requestAccount(owner, hint)).result).toEqual(account)
  const byAddress = [{ accountAddress: from, includeCounterfactualInfo: true }]
  expect((await ask('wallet_requestAccount', byAddress)).result).toEqual(account)
  await gateway.setBalance(from, parseEther('1'))

  const isPaying = accountType === 'la-v2' || accountType === 'ma-v1-multi-owner'
  for (const capabilities of isPaying ? [sponsored, {}] : [sponsored]) {
    const { result: prepared, error } = await ask('wallet_prepareCalls', [toCall(from, { capabilities })])
    expect(error).toBeUndefined()
    expect(prepared.feePayment).toMatchObject({ sponsored: capabilities === sponsored })
    const { raw } = prepared.signatureRequest.data
    expect(prepared.signatureRequest.rawPayload).toBe(hashMessage({ raw }))
    const sent = await ask('wallet_sendPreparedCalls', [await sign(owner, prepared)])
    const id = concatHex([numberToHex(gateway.chainId, { size: 32 }), raw])
    expect(sent).toMatchObject({ result: { id, preparedCallIds: [id], details: { data: { hash: raw } } } })
    const status = await settled(id)
    expect(status).toMatchObject({ id, status: 200, atomic: true, receipts: [{ status: '0x1' }] })
    expect((await ask('wallet_sendPreparedCalls', [await sign(owner, prepared)])).result.id).toBe(id)
  }
})

test('gives no account of other owners to a signer', async () => {
  const [victim, attacker] = [newOwner(), newOwner()]
  const planted = { accountType: 'la-v2-multi-owner', initialOwners: [attacker.address], createAdditional: true }
  const { result: theirs } = await requestAccount(victim, planted)
  const { result: own } = await requestAccount(victim, {})
  expect(own.accountAddress).not.toBe(theirs.accountAddress)
  expect(own.counterfactualInfo.factoryType).toBe('LightAccountV2.0.0')
  expect((await requestAccount(victim, {})).result).toEqual(own)
  // An attacker cannot benefit from changing the row, because the factory computes the address.
  await gateway.db
    .updateTable('smart_accounts')
    .set({ address: theirs.accountAddress.toLowerCase(), project_id: 'other' })
    .where('address', '=', own.accountAddress.toLowerCase())
    .execute()
  expect(await requestAccount(victim, {}, otherKey)).toMatchObject({ error: { data: { code: 'ACCOUNT_NOT_FOUND' } } })
})

test("lists and returns by id no account that a stranger requested in the signer's name", async () => {
  const [victim, attacker] = [newOwner(), newOwner()]
  const id = randomUUID()
  const creationHint = { accountType: 'la-v2-multi-owner', initialOwners: [attacker.address] }
  const request = { signerAddress: victim.address, id, creationHint }
  const { result: planted } = await ask('wallet_requestAccount', [request])
  const list = () => ask('wallet_listAccounts', [{ signerAddress: victim.address }])
  expect((await list()).result).toEqual({ accounts: [], meta: { totalCount: 0, after: null } })
  const byId = await ask('wallet_requestAccount', [{ signerAddress: victim.address, id }])
  expect(byId).toMatchObject({ error: { data: { code: 'ACCOUNT_NOT_FOUND' } } })
  const { result: own } = await requestAccount(victim, {})
  expect((await list()).result.accounts).toEqual([
    { accountAddress: own.accountAddress, id: own.id, owners: [victim.address] },
  ])
  expect((await ask('wallet_requestAccount', [request])).result).toEqual(planted)
})

test('creates another account by id and lists both', async () => {
  const owner = newOwner()
  const { result: first } = await requestAccount(owner, {})
  const id = randomUUID()
  const byId = () => ask('wallet_requestAccount', [{ signerAddress: owner.address, id }])
  const { result: second } = await byId()
  expect(second).toEqual({ id, accountAddress: expect.any(String) })
  expect(second.accountAddress).not.toBe(first.accountAddress)
  expect((await byId()).result).toEqual(second)
  const { result: page } = await ask('wallet_listAccounts', [{ signerAddress: owner.address, limit: 1 }])
  expect(page).toMatchObject({ accounts: [{ id: first.id }], meta: { totalCount: 2, after: first.id } })
  const after = [{ signerAddress: owner.address, after: first.id }]
  expect((await ask('wallet_listAccounts', after)).result).toMatchObject({ accounts: [{ id }], meta: { after: null } })
})

test.each(['ma-v1-multi-sig', '__proto__'])('refuses the account type %s', async (accountType) => {
  const { error } = await requestAccount(newOwner(), { accountType })
  expect(error).toMatchObject({ code: -32602, data: { code: 'UNSUPPORTED_ACCOUNT_TYPE' } })
  expect(error?.message).toContain('la-v2-multi-owner')
})

test('refuses foreign accounts, policies, chains and unsupported capabilities', async () => {
  const { from } = await accountWith('la-v2')
  const prepare = (changes: object, key = gateway.apiKey) =>
    ask('wallet_prepareCalls', [toCall(from, changes)], { key })
  expect((await prepare({ from: demo })).error).toMatchObject({ data: { code: 'ACCOUNT_NOT_FOUND' } })
  const theirs = { capabilities: { paymasterService: { policyId: 'theirs' } } }
  expect((await prepare(theirs)).error).toMatchObject({ data: { code: 'POLICY_NOT_FOUND' } })
  expect((await prepare({ chainId: '0x1' })).error).toMatchObject({ code: 5710, data: { code: 'CHAIN_NOT_FOUND' } })
  expect((await prepare({ calls: [] })).error).toMatchObject({ code: -32602 })
  for (const capabilities of [
    { stateOverride: {} },
    { paymasterService: { policyId: 'default', erc20: {} } },
    { paymasterService: { onlyEstimation: true } },
  ])
    expect((await prepare({ capabilities })).error).toMatchObject({ code: 5700 })
  const elsewhere = await ask('wallet_prepareCalls', [toCall(from)], { path: '/opt/v2' })
  expect(elsewhere.error).toMatchObject({ code: 5710 })
})

test('refuses changed, foreign, forged and late prepared calls', async () => {
  const { owner, from } = await accountWith('la-v1.1.0')
  const { result: prepared } = await ask('wallet_prepareCalls', [toCall(from, { capabilities: sponsored })])
  const signed = await sign(owner, prepared)
  const send = (changes: object, key = gateway.apiKey) =>
    ask('wallet_sendPreparedCalls', [{ ...signed, ...changes }], { key })
  const invalid = { code: -32602, data: { code: 'REQUEST_INVALID' } }
  for (const change of [{ callData: '0x' }, { maxFeePerGas: '0x1' }, { nonce: '0x9' }, { paymasterAndData: '0x' }])
    expect((await send({ data: { ...signed.data, ...change } })).error).toMatchObject(invalid)
  expect((await send({ type: 'user-operation-v070' })).error).toMatchObject(invalid)
  expect((await send({ chainId: '0xa' })).error).toMatchObject(invalid)
  expect((await send({ chainId: '0x1' })).error).toMatchObject({ code: 5710 })
  expect((await send({}, otherKey)).error).toMatchObject(invalid)
  expect((await send({ signature: { type: 'ecdsa', data: '0x' } })).error).toMatchObject({ code: -32602 })
  const forged = await sign(newOwner(), prepared)
  expect((await ask('wallet_sendPreparedCalls', [forged])).error?.message).toMatch(/AA24|signature/)
  const { result: again } = await ask('wallet_prepareCalls', [toCall(from, { capabilities: sponsored })])
  await gateway.db
    .updateTable('operations')
    .set({ prepared_at: new Date(Date.now() - 601_000) })
    .where('user_op_hash', '=', again.signatureRequest.data.raw)
    .execute()
  const late = await ask('wallet_sendPreparedCalls', [await sign(owner, again)])
  expect(late.error?.message).toContain('too long ago')
})

test('reports the status of unknown calls and calls of another project', async () => {
  const chain = numberToHex(gateway.chainId, { size: 32 })
  const unknown = concatHex([chain, `0x${randomBytes(32).toString('hex')}`])
  expect((await ask('wallet_getCallsStatus', [unknown])).error).toMatchObject({ code: 5730 })
  const elsewhere = concatHex([numberToHex(2n ** 255n, { size: 32 }), `0x${'00'.repeat(32)}`])
  expect((await ask('wallet_getCallsStatus', [elsewhere])).error).toMatchObject({ code: 5710 })
  const { owner, from } = await accountWith('la-v2')
  const { result: prepared } = await ask('wallet_prepareCalls', [toCall(from, { capabilities: sponsored })])
  const { result } = await ask('wallet_sendPreparedCalls', [await sign(owner, prepared)])
  await settled(result.id)
  // The operation is on the chain, so the bundler reports it to everyone.
  expect((await ask('wallet_getCallsStatus', [result.id], { key: otherKey })).result.status).toBe(200)
})

test.each(Object.keys(types))('signs messages with %s', async (accountType) => {
  const { owner, from } = await accountWith(accountType)
  const chainId = numberToHex(gateway.chainId)
  const signatureRequest = { type: 'personal_sign', data: 'hello' }
  const prepared = await ask('wallet_prepareSign', [{ from, chainId, signatureRequest }])
  if (accountType === 'la-v1.0.2') {
    expect(prepared.error).toMatchObject({ data: { code: 'SIGNATURE_UNSUPPORTED' } })
    return
  }
  const request = prepared.result.signatureRequest
  const data =
    request.type === 'personal_sign'
      ? await owner.signMessage({ message: request.data })
      : await owner.signTypedData(request.data)
  const format = (type: string) => ask('wallet_formatSign', [{ from, chainId, signature: { type, data } }])
  const { result } = await format('secp256k1')
  expect((await format('ecdsa')).result).toEqual(result)
  expect((await format('p256')).error).toMatchObject({ data: { code: 'REQUEST_INVALID' } })
  const verify = (message: string) =>
    gateway.client.verifyMessage({ address: from, message, signature: result.signature })
  expect(await verify('hello')).toBe(true)
  expect(await verify('other')).toBe(false)
})

test('hashes typed data as EIP-712 with bounded work', async () => {
  const { from } = await accountWith('la-v2')
  const chainId = numberToHex(gateway.chainId)
  const prepare = (data: object) => {
    const signatureRequest = { type: 'eth_signTypedData_v4', data }
    return ask('wallet_prepareSign', [{ from, chainId, signatureRequest }])
  }
  const domain = { name: 'Shop', chainId: 1 }
  const types = { List: [{ name: 'items', type: 'Item[]' }], Item: [{ name: 'parts', type: 'Part[]' }], Part: [] }
  const given = { domain, types, primaryType: 'List', message: { items: [{ parts: [] }] } } as const
  const { result } = await prepare(given)
  expect(result.signatureRequest.data.message.message).toBe(hashTypedData(given))
  // The message is small, but hashing it naively would hash the types for every item.
  const many = { items: Array.from({ length: 3_500 }, () => ({ parts: [] })) }
  const { error } = await prepare({ ...given, message: many })
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('too large to be hashed') })
  const { error: unfit } = await prepare({ ...given, message: { items: 1 } })
  expect(unfit).toMatchObject({ code: -32602, message: expect.stringContaining('is not typed data') })
})

test('explains methods that are not served', async () => {
  for (const method of ['wallet_requestQuote_v0', 'wallet_createAccount'])
    expect((await ask(method, [{}])).error).toMatchObject({
      code: -32601,
      message: expect.stringMatching(/not served here\. ./),
    })
})
