import { installSigner, toNonceKey } from '@latchkey/testkit/contracts/modularAccountsV2'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import {
  type Abi,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashMessage,
  hashTypedData,
  numberToHex,
  parseAbi,
  recoverAddress,
  serializeTransaction,
  stringToHex,
  toPrefixedMessage,
} from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
  getUserOperationHash,
} from 'viem/account-abstraction'
import { afterAll, describe, expect, test } from 'vitest'

const project = { signing: {}, confirmations: 'mail' } as const
const custody = await startTestCustody({ project })
const user = await custody.createUser()
afterAll(() => custody.close())

const account = `0x${'a1'.repeat(20)}` as const
const stranger = `0x${'b2'.repeat(20)}` as const
const token = `0x${'c3'.repeat(20)}` as const
const unlimited = 2n ** 256n - 1n
const abi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function transferOwnership(address newOwner)',
  'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
  'function upgradeToAndCall(address newImplementation, bytes data)',
  'function addSessionKey(address sessionKey, bytes32 tag, bytes[] permissionUpdates)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
])
const encode = (functionName: string, ...args: unknown[]) => encodeFunctionData({ abi: abi as Abi, functionName, args })
const execute = (to: Hex, data: Hex) => encode('execute', to, 0n, data)

const fields = {
  sender: account,
  nonce: 1n,
  callGasLimit: 2n,
  verificationGasLimit: 3n,
  preVerificationGas: 4n,
  maxFeePerGas: 5n,
  maxPriorityFeePerGas: 6n,
}
const versions = [
  ['0.6', entryPoint06Address, { initCode: '0x', paymasterAndData: '0x' }],
  ['0.7', entryPoint07Address, {}],
  ['0.8', entryPoint08Address, {}],
  ['0.9', entryPoint09Address, {}],
] as const

function toOperation(callData: Hex, changes: object = {}, entryPoint: Hex = entryPoint07Address) {
  const operation = Object.fromEntries(
    Object.entries({ ...fields, callData, ...changes }).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? numberToHex(value) : value,
    ]),
  )
  return { encoding: 'PAYLOAD_ENCODING_USER_OPERATION', payload: JSON.stringify({ chainId: 1, entryPoint, operation }) }
}

type Content = { encoding?: string; hashFunction?: string; payload: string }
async function sign(content: Content, by: TestUser = user) {
  const request = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', by.orgId, {
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
    signWith: by.address,
    ...content,
  })
  const send = () => custody.call('submit/sign_raw_payload', request, by.key)
  return { ...(await send()), again: send }
}

async function recover(content: Content, hash: Hex): Promise<string> {
  const { status, body } = await sign(content)
  expect([status, body.message]).toEqual([200, undefined])
  const { r, s, v } = body.activity.result.signRawPayloadResult
  return recoverAddress({ hash, signature: `0x${r}${s}${v === '00' ? '1b' : '1c'}` })
}

const personal = (message: string) => ({
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
  payload: toPrefixedMessage(message),
})

describe('content that custody reads', () => {
  test.each(versions)('signs a user operation of EntryPoint %s by its own hash', async (version, entryPoint, rest) => {
    const callData = execute(token, encode('transfer', stranger, 1n))
    const hash = getUserOperationHash({
      chainId: 1,
      entryPointAddress: entryPoint,
      entryPointVersion: version,
      userOperation: { ...fields, ...rest, callData, signature: '0x' },
    })
    const digest = version < '0.8' ? hashMessage({ raw: hash }) : hash
    expect(await recover(toOperation(callData, rest, entryPoint), digest)).toBe(user.address)
  })

  test('signs messages, transactions and typed data', async () => {
    expect(await recover(personal('hello'), hashMessage('hello'))).toBe(user.address)
    // The message begins with digits, which could be mistaken for digits of its length.
    expect(await recover(personal('12 is a number'), hashMessage('12 is a number'))).toBe(user.address)
    expect(await recover(personal('a'.repeat(32)), hashMessage('a'.repeat(32)))).toBe(user.address)
    const payload = serializeTransaction({ type: 'eip1559', chainId: 1, to: stranger, value: 1n })
    const { status } = await sign({ hashFunction: 'HASH_FUNCTION_KECCAK256', payload })
    expect(status).toBe(200)
  })

  test("signs an account's message only with the content that it is the hash of", async () => {
    const toWrapper = (message: Hex) => ({
      domain: { name: 'LightAccount', version: '1', chainId: 1, verifyingContract: account },
      types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'LightAccountMessage' as const,
      message: { message },
    })
    const wrapper = toWrapper(hashMessage('hello'))
    const wrapped = (content: Content) => ({
      encoding: 'PAYLOAD_ENCODING_ACCOUNT_MESSAGE',
      payload: JSON.stringify({ wrapper, content }),
    })
    expect(await recover(wrapped(personal('hello')), hashTypedData(wrapper))).toBe(user.address)
    expect((await sign(wrapped(personal('other')))).status).toBe(400)
    // Another struct with one member could mean anything.
    const order = { ...wrapper, types: { Order: wrapper.types.LightAccountMessage }, primaryType: 'Order' }
    const disguised = { wrapper: order, content: personal('hello') }
    const asAccountMessage = { encoding: 'PAYLOAD_ENCODING_ACCOUNT_MESSAGE', payload: JSON.stringify(disguised) }
    expect((await sign(asAccountMessage)).status).toBe(400)
    const asDigest = { hashFunction: 'HASH_FUNCTION_NO_OP', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' }
    expect((await sign(wrapped({ ...asDigest, payload: hashMessage('hello') }))).status).toBe(403)
    expect((await sign({ encoding: 'PAYLOAD_ENCODING_EIP712', payload: JSON.stringify(wrapper) })).status).toBe(403)
  })
})

describe('content that custody cannot read', () => {
  test.each([
    ['a digest', { payload: hashMessage('hello') }],
    [
      'a message of 32 bytes that is no text',
      { hashFunction: 'HASH_FUNCTION_KECCAK256', payload: toPrefixedMessage({ raw: hashMessage('hello') }) },
    ],
    ['the preimage of typed data', { hashFunction: 'HASH_FUNCTION_KECCAK256', payload: `0x1901${'00'.repeat(64)}` }],
    ['any other preimage', { hashFunction: 'HASH_FUNCTION_KECCAK256', payload: stringToHex('hello') }],
    ['an operation with a byte too many', toOperation(`${execute(token, '0x')}00`)],
    ['an unknown function of the account itself', toOperation('0x12345678')],
  ])('refuses %s', async (_, content) => {
    const { status, body } = await sign(content)
    expect([status, body.message]).toEqual([403, expect.stringMatching(/signUserOperation.*signing\.blind/)])
  })

  test.each([
    ['an entry point that it does not know', toOperation('0x', {}, stranger)],
    ['a field that is missing', toOperation('0x', { nonce: undefined })],
    ['a field that it does not know', toOperation('0x', { eip7702Auth: '0x' })],
    ['a quantity with leading zeros', toOperation('0x', { nonce: '0x01' })],
    ['text that is no JSON', { encoding: 'PAYLOAD_ENCODING_USER_OPERATION', payload: '{' }],
  ])('calls %s invalid', async (_, content) => {
    expect((await sign(content)).status).toBe(400)
  })

  test('signs a digest if every project allows it', async () => {
    const open = await startTestCustody({ project: { signing: { blind: 'allow' } } })
    const strict = await startTestCustody({
      project: { signing: { blind: 'allow' } },
      projects: [{ id: 'strict', name: 'Strict', apiKey: 'strict-api-key', redirectUrls: [], allowedOrigins: [] }],
    })
    try {
      for (const [at, status] of [
        [open, 200],
        [strict, 403],
      ] as const) {
        const by = await at.createUser()
        const reply = await at.call('submit/sign_raw_payload', at.signing(by, hashMessage('hello')), by.key)
        expect(reply.status).toBe(status)
      }
    } finally {
      await Promise.all([open.close(), strict.close()])
    }
  })
})

describe('acts that change who may act for the account', () => {
  const permit2 = {
    domain: { name: 'Permit2', chainId: 1, verifyingContract: token },
    types: {
      PermitSingle: [
        { name: 'details', type: 'PermitDetails' },
        { name: 'spender', type: 'address' },
        { name: 'sigDeadline', type: 'uint256' },
      ],
      PermitDetails: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint160' },
        { name: 'expiration', type: 'uint48' },
        { name: 'nonce', type: 'uint48' },
      ],
    },
    primaryType: 'PermitSingle',
    message: {
      details: { token, amount: String(2n ** 160n - 1n), expiration: 1, nonce: 0 },
      spender: stranger,
      sigDeadline: 1,
    },
  }
  const deferred = {
    domain: { chainId: 1, verifyingContract: account },
    types: {
      DeferredAction: [
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint48' },
        { name: 'call', type: 'bytes' },
      ],
    },
    primaryType: 'DeferredAction',
    message: { nonce: 1, deadline: 0, call: '0x' },
  }
  const typed = (data: object) => ({ encoding: 'PAYLOAD_ENCODING_EIP712', payload: JSON.stringify(data) })

  test.each([
    ['a new owner', toOperation(encode('transferOwnership', stranger))],
    [
      'owners in a nested self call',
      toOperation(execute(account, execute(account, encode('updateOwners', [stranger], [])))),
    ],
    [
      'an upgrade in a batch',
      toOperation(
        encode('executeBatch', [
          { target: stranger, value: 0n, data: '0x' },
          { target: account, value: 0n, data: encode('upgradeToAndCall', stranger, '0x') },
        ]),
      ),
    ],
    ['a session key', toOperation(encode('addSessionKey', stranger, `0x${'0'.repeat(64)}`, []))],
    ['an unlimited approval', toOperation(execute(token, encode('approve', stranger, unlimited)))],
    ['an unlimited permit', typed(permit2)],
    ['a deferred action', typed(deferred)],
    [
      'a delegation',
      {
        encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
        payload: JSON.stringify({ address: '0x69007702764179f14F51cdce752f4f775d74E139', chainId: 1, nonce: 0 }),
      },
    ],
  ])('leaves %s unsigned until the person confirms it', async (_, content) => {
    const { status, body } = await sign(content)
    expect([status, body.activity?.status, body.activity?.result]).toEqual([200, 'ACTIVITY_STATUS_PENDING', {}])
  })

  test('signs after the confirmation, and shows there what custody read', async () => {
    const { body, again } = await sign(toOperation(encode('transferOwnership', stranger)))
    const mail = await custody.readQueued(body.activity.id, 'confirm')
    expect(mail.content).toMatchObject({
      action: 'change-owners',
      acts: [
        {
          label: 'What is signed',
          title: 'Change owners',
          facts: [{ name: 'New owner', value: expect.stringMatching(/^0xB2/i) }, {}],
        },
      ],
      intentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect((await custody.decide(body.activity.id)).status).toBe(200)
    const { activity } = (await again()).body
    expect([activity.status, activity.result]).toEqual([
      'ACTIVITY_STATUS_COMPLETED',
      { signRawPayloadResult: { r: expect.any(String), s: expect.any(String), v: expect.any(String) } },
    ])
  })

  test('says in one sentence what a deferred grant lets a key do', async () => {
    const call = installSigner(stranger, 7, { flags: 5, selectors: [] })
    const nonce = String(toNonceKey(7, 3) << 64n)
    const { body } = await sign(typed({ ...deferred, message: { nonce, deadline: 0, call } }))
    const { content } = await custody.readQueued(body.activity.id, 'confirm')
    const key = getAddress(stranger)
    expect(content).toMatchObject({
      action: 'change-modules',
      acts: [
        {
          label: 'What is signed',
          title: `Let key ${key.slice(0, 6)}…${key.slice(-4)} do everything that you can do with your account, with no end date`,
          facts: [
            { name: 'Key', value: key },
            { name: 'Ends', value: 'Never' },
            { name: 'Smart account', value: getAddress(account) },
          ],
        },
      ],
    })
    const titles = [
      // A key that has no limits and also signs for applications.
      [{ flags: 7, selectors: [] }, 'Change owners'],
      // An unknown installation is described as a changed module.
      [{ flags: 3, selectors: [] }, 'Add, change or remove a module'],
    ] as const
    for (const [installation, title] of titles) {
      const later = installSigner(stranger, 7, installation)
      const other = await sign(typed({ ...deferred, message: { nonce, deadline: 0, call: later } }))
      expect((await custody.readQueued(other.body.activity.id, 'confirm')).content).toMatchObject({
        acts: [{ title: 'Let the account be changed later' }, { title }],
      })
    }
  })

  test('shows a reviewed call among many others, and refuses more than a page shows', async () => {
    const batch = (data: Hex, count: number, target: Hex = stranger) =>
      Array.from({ length: count }, () => ({ target, value: 0n, data }))
    const change = encode('transferOwnership', stranger)
    const hidden = toOperation(encode('executeBatch', [...batch('0x', 30), ...batch(change, 1, account)]))
    const { body } = await sign(hidden)
    const { content } = await custody.readQueued(body.activity.id, 'confirm')
    const acts = ('acts' in content && content.acts) || []
    expect(acts.map(({ label }) => label)).toEqual([
      ...Array.from({ length: 19 }, (_, index) => `Call ${index + 1} of 31`),
      'Call 31 of 31',
      'Not shown',
    ])
    expect(acts[19]?.title).toBe('Change owners')
    expect((await sign(toOperation(encode('executeBatch', batch(change, 21))))).status).toBe(403)
  })

  test('signs nothing that the person declines', async () => {
    const { body, again } = await sign(toOperation(encode('transferOwnership', stranger)))
    await custody.decide(body.activity.id, 'refuse')
    expect((await again()).body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_REJECTED', result: {} })
  })

  test('refuses to delegate the key to unknown code, and lets the person end a delegation', async () => {
    const authorize = (address: string) =>
      sign({
        encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
        payload: JSON.stringify({ address, chainId: 1, nonce: 0 }),
      })
    const { status, body } = await authorize(stranger)
    expect([status, body.message]).toEqual([403, expect.stringContaining('delegates to the code of known accounts')])
    const ending = await authorize(`0x${'00'.repeat(20)}`)
    expect(ending.body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
  })

  test('never signs what the project denies', async () => {
    const strict = await startTestCustody({ project: { signing: { deny: ['transfer'] } } })
    try {
      const by = await strict.createUser()
      const request = strict.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', by.orgId, {
        hashFunction: 'HASH_FUNCTION_NO_OP',
        signWith: by.address,
        ...toOperation(execute(stranger, '0x')),
      })
      const { status, body } = await strict.call('submit/sign_raw_payload', request, by.key)
      expect([status, body.message]).toEqual([403, expect.stringContaining("signing.deny) don't allow transfer")])
    } finally {
      await strict.close()
    }
  })
})
