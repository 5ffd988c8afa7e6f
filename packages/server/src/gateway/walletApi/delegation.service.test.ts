import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { newOwner, type Reply, target, walletCalls } from '@latchkey/testkit/gateway/walletCalls'
import { test } from '@latchkey/testkit/worker'
import { type Address, concatHex, type Hex, numberToHex, parseEther, serializeSignature, zeroAddress } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { hashAuthorization } from 'viem/utils'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

// Accounts of EIP-7702: the signer's own address, without wallet_requestAccount.

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

const { ask, requestAccount, accountWith, toCall, sign, settled } = walletCalls(() => ({ app: gateway.app, gateway }))
const { semiModular7702: first, semiModular7702V1_1: second } = devAddresses.modularAccountV2
const sponsored = { paymasterService: { policyId: 'default' } }
const invalid = { code: -32602, data: { code: 'REQUEST_INVALID' } }

const setDelegate = (address: Address, delegate: string) =>
  gateway.request('anvil_setCode', [address, concatHex(['0xef0100', delegate.toLowerCase() as Hex])])

async function signBoth(owner: PrivateKeyAccount, { data: [authorization, call] }: Reply['result']) {
  const { signatureRequest: _, ...rest } = authorization
  const { address, nonce } = rest.data
  const signed = await owner.signAuthorization({ address, nonce: Number(nonce), chainId: Number(rest.chainId) })
  const data = serializeSignature({ r: signed.r, s: signed.s, yParity: signed.yParity ?? 0 })
  const { details: __, ...sent } = await sign(owner, call)
  return { type: 'array', data: [{ ...rest, signature: { type: 'secp256k1', data } }, sent] }
}

test.each([
  ['sponsored', sponsored],
  ['paid by the account', {}],
] as const)('sends from the signer’s own address, with and after its authorization, %s', async (_, capabilities) => {
  const owner = newOwner()
  const from = owner.address
  if (!('paymasterService' in capabilities)) await gateway.setBalance(from, parseEther('1'))
  const prepare = async () =>
    (await ask('wallet_prepareCalls', [toCall(from, { calls: [{ to: target }], capabilities })])).result
  const prepared = await prepare()
  const [authorization] = prepared.data
  const nonce = { address: first, nonce: '0x0' }
  expect(authorization).toMatchObject({ type: 'authorization', data: nonce, chainId: numberToHex(gateway.chainId) })
  const digest = hashAuthorization({ address: first, nonce: 0, chainId: gateway.chainId })
  expect(authorization.signatureRequest).toEqual({ type: 'eip7702Auth', rawPayload: digest })
  const signed = await signBoth(owner, prepared)
  const { result } = await ask('wallet_sendPreparedCalls', [signed])
  expect(await settled(result.id)).toMatchObject({ status: 200 })
  expect((await ask('wallet_sendPreparedCalls', [signed])).result).toEqual(result)

  const again = await prepare()
  expect(again.type).toBe('user-operation-v070')
  const sent = await ask('wallet_sendPreparedCalls', [await sign(owner, again)])
  expect(await settled(sent.result.id)).toMatchObject({ status: 200 })
})

test('names the account and its code, by type and by address', async () => {
  const owner = newOwner()
  const { result } = await requestAccount(owner, { accountType: '7702' })
  expect(result).toEqual({ accountAddress: owner.address, id: expect.any(String), delegation: first })
  expect(result.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  const byAddress = () => ask('wallet_requestAccount', [{ accountAddress: owner.address }])
  expect((await byAddress()).error).toMatchObject({ data: { code: 'ACCOUNT_NOT_FOUND' } })
  await setDelegate(owner.address, first)
  expect((await byAddress()).result).toEqual(result)
  expect((await ask('wallet_listAccounts', [{ signerAddress: owner.address }])).result.accounts).toEqual([])
})

test('gives an address the release that its client asks for, and never an earlier one', async () => {
  const owner = newOwner()
  const prepare = async (eip7702Auth: unknown) =>
    (
      await ask('wallet_prepareCalls', [
        toCall(owner.address, { calls: [{ to: target }], capabilities: { ...sponsored, eip7702Auth } }),
      ])
    ).result
  await setDelegate(owner.address, first)
  expect((await prepare(true)).type).toBe('user-operation-v070')
  const { result } = await ask('wallet_sendPreparedCalls', [
    await signBoth(owner, await prepare({ delegation: second })),
  ])
  expect(await settled(result.id)).toMatchObject({ status: 200 })
  for (const delegation of ['ModularAccountV2', first, second])
    expect((await prepare({ delegation })).type).toBe('user-operation-v070')
})

test('refuses code that is no known account, and the end of a delegation', async () => {
  const owner = newOwner()
  const from = owner.address
  const prepare = (eip7702Auth: unknown) =>
    ask('wallet_prepareCalls', [toCall(from, { capabilities: { ...sponsored, eip7702Auth } })])
  const sweeper = newOwner().address
  expect((await prepare({ delegation: sweeper })).error).toMatchObject(invalid)
  expect((await prepare({ delegation: first, account: sweeper })).error).toMatchObject(invalid)
  const ended = { code: 5700, message: expect.stringContaining('undelegate') }
  expect((await prepare({ delegation: zeroAddress })).error).toMatchObject(ended)
  const { from: contract } = await accountWith('la-v2')
  const call = toCall(contract, { capabilities: { eip7702Auth: true } })
  expect((await ask('wallet_prepareCalls', [call])).error).toMatchObject(invalid)

  await setDelegate(from, sweeper)
  const foreign = { code: -32602, data: { code: 'DELEGATE_UNKNOWN' }, message: expect.stringContaining(sweeper) }
  expect((await prepare(true)).error).toMatchObject(foreign)
})

test('refuses an authorization of another key, of other code or of another chain', async () => {
  const owner = newOwner()
  const { result: prepared } = await ask('wallet_prepareCalls', [
    toCall(owner.address, { calls: [{ to: target }], capabilities: sponsored }),
  ])
  const signed = await signBoth(owner, prepared)
  const [authorization, call] = signed.data
  const send = (changes: object) =>
    ask('wallet_sendPreparedCalls', [{ ...signed, data: [{ ...authorization, ...changes }, call] }])
  const theirs = await signBoth(newOwner(), prepared)
  expect((await send({ signature: theirs.data[0].signature })).error).toMatchObject({
    ...invalid,
    message: expect.stringContaining('wallet_requestAccount'),
  })
  const sweeper = newOwner().address
  expect((await send({ data: { address: sweeper, nonce: '0x0' } })).error).toMatchObject(invalid)
  expect((await send({ data: { address: second, nonce: '0x0' } })).error).toMatchObject(invalid)
  expect((await send({ chainId: '0x0' })).error).toMatchObject(invalid)
  // Without the authorization, the address has no code.
  expect((await ask('wallet_sendPreparedCalls', [call])).error?.message).toMatch(/AA20|not deployed/)
  // Another wallet app with the same key has delegated the address before.
  await setDelegate(owner.address, sweeper)
  expect((await send({})).error).toMatchObject({ data: { code: 'DELEGATE_UNKNOWN' } })
})

test('signs messages by the key alone before the delegation, and by the account afterwards', async () => {
  const owner = newOwner()
  const from = owner.address
  const chainId = numberToHex(gateway.chainId)
  for (const isDelegated of [false, true]) {
    if (isDelegated) await setDelegate(from, first)
    const signatureRequest = { type: 'personal_sign', data: 'hello' }
    const { result } = await ask('wallet_prepareSign', [{ from, chainId, signatureRequest }])
    const asked = result.signatureRequest
    expect(asked.type).toBe(isDelegated ? 'eth_signTypedData_v4' : 'personal_sign')
    const data = isDelegated ? await owner.signTypedData(asked.data) : await owner.signMessage({ message: asked.data })
    const signature = { type: 'ecdsa', data }
    const formatted = (await ask('wallet_formatSign', [{ from, chainId, signature }])).result.signature
    expect(await gateway.client.verifyMessage({ address: from, message: 'hello', signature: formatted })).toBe(true)
  }
})
