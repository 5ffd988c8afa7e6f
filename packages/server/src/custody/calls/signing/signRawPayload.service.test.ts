import { startTestCustody } from '@latchkey/testkit/custody'
import {
  getTypesForEIP712Domain,
  hashMessage,
  hashTypedData,
  keccak256,
  recoverAddress,
  serializeTypedData,
  sha256,
  stringToHex,
  zeroAddress,
} from 'viem'
import { hashAuthorization } from 'viem/utils'
import { afterAll, expect, test } from 'vitest'

const custody = await startTestCustody()
const user = await custody.createUser()
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

test('signs a digest', async () => {
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

test('hashes by encoding and hashFunction', async () => {
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

test('hashes typed data (EIP-712) and authorizations (EIP-7702)', async () => {
  const types = { ...typedData.types, EIP712Domain: getTypesForEIP712Domain(typedData) }
  const whole = serializeTypedData<Record<string, unknown>, string>({ ...typedData, types })
  for (const payload of [whole, JSON.stringify(typedData)])
    expect(await signer({ payload, encoding: 'PAYLOAD_ENCODING_EIP712' }, hashTypedData(typedData))).toBe(user.address)
  const authorization = { address: '0x77021100bD87b7008E5E1989d0eB38555d0d0000', chainId: 31_337, nonce: 7 } as const
  const request7702 = { payload: JSON.stringify(authorization), encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION' }
  expect(await signer(request7702, hashAuthorization(authorization))).toBe(user.address)
})

test('refuses the address of another user', async () => {
  const other = await custody.createUser()
  const { status, body } = await custody.call(path, request({ signWith: other.address }), user.key)
  expect([status, body.code]).toEqual([404, 5])
})

test('refuses invalid payloads', async () => {
  // This small message causes a lot of hashing, because each struct repeats the long type.
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
      { encoding: 'PAYLOAD_ENCODING_EIP712', payload: JSON.stringify({ ...typedData, message: { to: 'nobody' } }) },
      'cannot be hashed',
    ],
    [{ encoding: 'PAYLOAD_ENCODING_EIP712', payload: costly }, 'too large to be hashed'],
    [{ encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_KECCAK256' }, 'a hash of its own'],
    [{ encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', payload: '{"chainId":1}' }, 'address'],
    [{ encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', payload: 'x' }, 'not JSON'],
    [
      {
        encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
        payload: JSON.stringify({ address: zeroAddress, chainId: 0, nonce: 0 }),
      },
      'chain id 0',
    ],
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
