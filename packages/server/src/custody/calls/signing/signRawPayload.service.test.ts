import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import {
  type Address,
  getTypesForEIP712Domain,
  hashMessage,
  hashTypedData,
  keccak256,
  recoverAddress,
  serializeTypedData,
  sha256,
  stringToHex,
} from 'viem'
import { hashAuthorization } from 'viem/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readMacKey } from '../../macKey.ts'
import { storeWallet } from '../../wallets/wallet.ts'

let custody: TestCustody
let user: TestUser
beforeAll(async () => {
  custody = await startTestCustody()
  user = await custody.createUser()
})
afterAll(() => custody.close())

const path = 'submit/sign_raw_payload'
const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'
const hash = hashMessage('hello')

function request(changes: object = {}, orgId = user.orgId) {
  return custody.activity(type, orgId, {
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
    payload: hash,
    signWith: user.address,
    ...changes,
  })
}

async function signer(changes: object, digest: `0x${string}`) {
  const { status, body } = await custody.call(path, request(changes), user.key)
  expect(status).toBe(200)
  const { r, s, v } = body.activity.result.signRawPayloadResult
  return recoverAddress({ hash: digest, signature: `0x${r}${s}${v === '00' ? '1b' : '1c'}` })
}

const typedData = {
  domain: { name: 'Test', version: '1', chainId: 31_337, verifyingContract: `0x${'11'.repeat(20)}` },
  types: { Mail: [{ name: 'to', type: 'address' }] },
  primaryType: 'Mail',
  message: { to: `0x${'22'.repeat(20)}` },
} as const

test('default', async () => {
  const { status, body } = await custody.call(path, request(), user.key)
  expect(status).toBe(200)
  expect(body.activity.intent.signRawPayloadIntentV2).toMatchObject({ payload: hash, signWith: user.address })
  expect(body.activity.result).toEqual({
    signRawPayloadResult: {
      r: expect.stringMatching(/^[0-9a-f]{64}$/),
      s: expect.stringMatching(/^[0-7][0-9a-f]{63}$/),
      v: expect.stringMatching(/^0[01]$/),
    },
  })
  expect(await signer({}, hash)).toBe(user.address)
})

test('behavior: the published vector', async () => {
  const known = await custody.createUser()
  const { keyEncryption } = custody.deps
  const { addresses } = await storeWallet(
    custody.store.db,
    { keyEncryption, macKey: await readMacKey(custody.store.db, keyEncryption) },
    {
      orgId: known.orgId,
      name: 'Known',
      accounts: [{ path: "m/44'/60'/0'/0/0" }],
      entropy: Buffer.from('df9bf37e6fcdf9bf37e6fcdf9bf37e3c', 'hex'),
      imported: true,
    },
  )
  const [signWith] = addresses
  expect(signWith).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
  const payload = '0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750'
  const { body } = await custody.call(path, request({ signWith, payload }, known.orgId), known.key)
  expect(body.activity.result.signRawPayloadResult).toEqual({
    r: 'f16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc',
    s: '573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f9450431',
    v: '01',
  })
})

test('param: encoding and hashFunction', async () => {
  expect(await signer({ payload: hash.slice(2) }, hash)).toBe(user.address)
  expect(
    await signer({ payload: '0x68656c6c6f', hashFunction: 'HASH_FUNCTION_KECCAK256' }, keccak256('0x68656c6c6f')),
  ).toBe(user.address)
  expect(
    await signer(
      { payload: 'grüße', encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' },
      sha256(stringToHex('grüße')),
    ),
  ).toBe(user.address)
})

test('behavior: typed data and authorizations are hashed as EIP-712 and EIP-7702 say', async () => {
  const types = { ...typedData.types, EIP712Domain: getTypesForEIP712Domain(typedData) }
  const whole = serializeTypedData<Record<string, unknown>, string>({ ...typedData, types })
  for (const payload of [whole, JSON.stringify(typedData)])
    expect(await signer({ payload, encoding: 'PAYLOAD_ENCODING_EIP712' }, hashTypedData(typedData))).toBe(user.address)
  const authorization = { address: user.address as Address, chainId: 31_337, nonce: 7 }
  const request7702 = { payload: JSON.stringify(authorization), encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION' }
  expect(await signer(request7702, hashAuthorization(authorization))).toBe(user.address)
})

test("error: another user's address", async () => {
  const other = await custody.createUser()
  const { status, body } = await custody.call(path, request({ signWith: other.address }), user.key)
  expect([status, body.code]).toEqual([404, 5])
})

test('error: invalid payloads', async () => {
  // Little to send and much to hash: the long type is part of each short struct.
  const costly = JSON.stringify({
    types: {
      Mail: [{ name: 'parts', type: 'Part[]' }],
      Part: [{ name: 'none', type: 'Long[]' }],
      Long: Array.from({ length: 300 }, (_, index) => ({ name: `f${index}`, type: 'uint8' })),
    },
    primaryType: 'Mail',
    message: { parts: Array.from({ length: 1_500 }, () => ({ none: [] })) },
  })
  const cases: [object, string][] = [
    [{ payload: 'list_mfas' }, 'not hex'],
    [{ payload: '0x123' }, 'not hex'],
    [{ payload: '0x1234' }, '32 bytes'],
    [{ payload: 'short', encoding: 'PAYLOAD_ENCODING_TEXT_UTF8' }, '32 bytes'],
    [{ encoding: 'PAYLOAD_ENCODING_EIP712' }, 'not JSON'],
    [{ encoding: 'PAYLOAD_ENCODING_EIP712', payload: '{}' }, 'types'],
    [
      {
        encoding: 'PAYLOAD_ENCODING_EIP712',
        payload: JSON.stringify({ ...typedData, message: { to: 'nobody' } }),
      },
      'cannot be hashed',
    ],
    [{ encoding: 'PAYLOAD_ENCODING_EIP712', payload: costly }, 'too large to be hashed'],
    [{ encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_KECCAK256' }, 'a hash of its own'],
    [{ encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', payload: '{"chainId":1}' }, 'address'],
    [{ encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', payload: 'x' }, 'not JSON'],
    [{ encoding: 'PAYLOAD_ENCODING_BASE64' }, 'encoding'],
    [{ hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' }, 'HASH_FUNCTION_NOT_APPLICABLE is for Ed25519'],
    [{ hashFunction: 'HASH_FUNCTION_MD5' }, 'hashFunction'],
    [{ signWith: 'me' }, 'signWith'],
    [{ extra: true }, 'extra'],
  ]
  for (const [changes, text] of cases) {
    const { status, body } = await custody.call(path, request(changes), user.key)
    expect([status, body.code], text).toEqual([400, 3])
    expect(body.message).toContain(text)
  }
})
