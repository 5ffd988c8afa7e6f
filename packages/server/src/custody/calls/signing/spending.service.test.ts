import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls } from '@latchkey/testkit/custodyCalls'
import type { SpendingRules } from 'latchkey-protocol'
import { type Abi, encodeFunctionData, type Hex, numberToHex, parseAbi, parseEther, serializeTransaction } from 'viem'
import { entryPoint07Address, entryPoint08Address, getUserOperationTypedData } from 'viem/account-abstraction'
import { afterAll, describe, expect, test } from 'vitest'

const custody = await startTestCustody({ project: { signing: {}, confirmations: 'mail' } })
afterAll(() => custody.close())

const { submit } = custodyCalls(() => custody)
const minuteMs = 60_000
const account = `0x${'a1'.repeat(20)}` as const
const friend = `0x${'f1'.repeat(20)}` as const
const thief = `0x${'b2'.repeat(20)}` as const
const token = `0x${'c3'.repeat(20)}` as const
const abi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function mint(address to, uint256 amount)',
])
const encode = (functionName: string, ...args: unknown[]) => encodeFunctionData({ abi: abi as Abi, functionName, args })
const pay = (to: Hex, value: bigint) => encode('execute', to, value, '0x')
const call = (data: Hex) => encode('execute', token, 0n, data)

const rules: SpendingRules = {
  limits: [
    { chainId: 1, token: 'native', perDay: String(parseEther('1')) },
    { chainId: 1, token, perDay: '100' },
  ],
  unlisted: 'allow',
  recipients: null,
}

type Changes = { chainId?: number; paymaster?: Hex | undefined; maxFeePerGas?: bigint; entryPoint?: Hex }
let nonce = 0n
function toOperation(callData: Hex, { chainId = 1, entryPoint = entryPoint07Address, ...changes }: Changes = {}) {
  const fields = {
    sender: account,
    nonce: nonce++,
    callData,
    callGasLimit: 100_000n,
    verificationGasLimit: 100_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 1_000_000_000n,
    maxPriorityFeePerGas: 0n,
    paymaster: thief,
    ...changes,
  }
  const operation = Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'bigint' ? numberToHex(value) : value]),
  )
  return { encoding: 'PAYLOAD_ENCODING_USER_OPERATION', payload: JSON.stringify({ chainId, entryPoint, operation }) }
}

type Content = { encoding: string; payload: string; hashFunction?: string }
const toSigning = (by: TestUser, content: Content) =>
  custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', by.orgId, {
    hashFunction: 'HASH_FUNCTION_NO_OP',
    signWith: by.address,
    ...content,
  })
async function sign(by: TestUser, content: Content) {
  const { status, body } = await custody.call('submit/sign_raw_payload', toSigning(by, content), by.key)
  expect([status, body.message]).toEqual([200, undefined])
  return body.activity as { id: string; status: string }
}
const signed = 'ACTIVITY_STATUS_COMPLETED'
const asked = 'ACTIVITY_STATUS_PENDING'

const setRules = async (by: TestUser, next: SpendingRules | null) => {
  const { body } = await submit('set_spending_rules', by, { rules: next })
  expect(body.activity.status).toBe(asked)
  expect((await custody.decide(body.activity.id)).body.confirmation.state).toBe('confirmed')
}
const limited = async (next: SpendingRules = rules, passkey = createAuthenticator()) => {
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  await setRules(user, next)
  return user
}
const readRules = async ({ orgId, key }: TestUser) =>
  (await custody.call('query/get_spending_rules', { organizationId: orgId }, key)).body

test('asks the user before a day exceeds a spending limit', async () => {
  const passkey = createAuthenticator()
  const user = await limited(rules, passkey)
  const operations = [
    ['0.6 of 1', toOperation(pay(thief, parseEther('0.6'))), signed],
    ['0.6 again', toOperation(pay(thief, parseEther('0.6'))), asked],
    ['the rest of it', toOperation(pay(thief, parseEther('0.4'))), signed],
    ['a wei more', toOperation(pay(thief, 1n)), asked],
    ['another chain', toOperation(pay(thief, parseEther('5')), { chainId: 10 }), signed],
    ['a token', toOperation(call(encode('transfer', thief, 60n))), signed],
    ['an approval of it', toOperation(call(encode('approve', thief, 41n))), asked],
    ['a smaller approval', toOperation(call(encode('approve', thief, 40n))), signed],
  ] as const
  for (const [name, content, status] of operations)
    expect([name, (await sign(user, content)).status]).toEqual([name, status])
  expect((await readRules(user)).spending).toEqual(
    expect.arrayContaining([
      { chainId: 1, token: 'native', spent: String(parseEther('1')) },
      { chainId: 1, token, spent: '100' },
    ]),
  )
  custody.advance(1_441 * minuteMs)
  const later = toSigning(user, toOperation(pay(thief, parseEther('1'))))
  const { body } = await custody.callByPasskey('submit/sign_raw_payload', later, passkey)
  expect(body.activity.status).toBe(signed)
})

test('says why it asks, and does not count what the user confirmed', async () => {
  const user = await limited()
  const activity = await sign(user, toOperation(pay(thief, parseEther('3'))))
  const { content } = await custody.readQueued(activity.id, 'confirm')
  expect(content).toMatchObject({
    action: 'send',
    acts: [{ facts: expect.arrayContaining([{ name: 'Why you are asked', value: 'Above your limit of 1 a day' }]) }],
  })
  expect((await custody.decide(activity.id)).body.confirmation.state).toBe('confirmed')
  expect((await sign(user, toOperation(pay(thief, parseEther('1'))))).status).toBe(signed)
})

describe('what counts', () => {
  const typed = (data: object) => ({
    encoding: 'PAYLOAD_ENCODING_EIP712',
    payload: JSON.stringify(data, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  })
  const permit = (chainId?: number) =>
    typed({
      domain: { name: 'Token', ...(chainId && { chainId }), verifyingContract: token },
      types: {
        Permit: ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'].map(
          (member) => {
            const [type = '', name = ''] = member.split(' ')
            return { type, name }
          },
        ),
      },
      primaryType: 'Permit',
      message: { owner: account, spender: thief, value: '101', nonce: '0', deadline: '1' },
    })
  const batch = encode('executeBatch', [
    { target: thief, value: parseEther('0.7'), data: '0x' },
    { target: friend, value: parseEther('0.7'), data: '0x' },
  ])
  const userOperation = {
    sender: account,
    nonce: 1n,
    callData: pay(thief, 1n),
    callGasLimit: 10n ** 6n,
    verificationGasLimit: 10n ** 6n,
    preVerificationGas: 0n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 0n,
    signature: '0x',
  } as const
  const packed = getUserOperationTypedData({ chainId: 1, entryPointAddress: entryPoint08Address, userOperation })

  test.each([
    ['both halves of a batch', toOperation(batch)],
    ['a permit', permit(1)],
    ['a permit that holds on every chain', permit()],
    [
      'the fee that an account pays itself',
      toOperation(pay(thief, 1n), { paymaster: undefined, maxFeePerGas: 10n ** 13n }),
    ],
    ['the fee of an operation that is signed as typed data', typed(packed)],
  ])('counts %s', async (_, content) => {
    expect((await sign(await limited(), content)).status).toBe(asked)
  })

  test('counts transactions with their fee, and refuses a fee without calls', async () => {
    const user = await limited()
    const send = (transaction: object) => {
      const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, ...transaction })
      const parameters = { signWith: user.address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction }
      return submit('sign_transaction', user, parameters, '_V2')
    }
    const fee = { gas: 21_000n, maxFeePerGas: 10n ** 14n }
    expect((await send({ to: thief, value: 1n, ...fee })).body.activity.status).toBe(asked)
    expect((await send({ to: thief, value: 1n, gas: 21_000n, maxFeePerGas: 1n })).body.activity.status).toBe(signed)
    const empty = toOperation('0x', { paymaster: undefined, maxFeePerGas: 10n ** 13n })
    const refused = await custody.call('submit/sign_raw_payload', toSigning(user, empty), user.key)
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('network fee') } })
  })

  test('does not count what a limit does not name', async () => {
    const user = await limited()
    for (const content of [
      toOperation(pay(thief, 0n)),
      toOperation(call(encode('mint', account, 10n ** 30n))),
      toOperation(encode('execute', friend, 0n, encode('transfer', thief, 10n ** 30n))),
    ])
      expect((await sign(user, content)).status).toBe(signed)
    expect((await readRules(user)).spending).toEqual([])
  })
})

test('counts two requests at once one after the other', async () => {
  const user = await limited()
  const activities = await Promise.all(
    Array.from({ length: 4 }, () => sign(user, toOperation(pay(thief, parseEther('0.5'))))),
  )
  expect(activities.map(({ status }) => status).sort()).toEqual([signed, signed, asked, asked].sort())
})

test('counts a repeated request once', async () => {
  const user = await limited()
  const request = toSigning(user, toOperation(pay(thief, parseEther('0.6'))))
  const send = () => custody.call('submit/sign_raw_payload', request, user.key)
  const first = await send()
  expect(await send()).toEqual(first)
  expect((await readRules(user)).spending).toEqual([{ chainId: 1, token: 'native', spent: String(parseEther('0.6')) }])
})

test('asks before it signs what no limit bounds, where the user wants that', async () => {
  const user = await limited({ ...rules, unlisted: 'review' })
  for (const [content, status] of [
    [toOperation(pay(thief, 1n)), signed],
    [toOperation(pay(thief, 1n), { chainId: 10 }), asked],
    [toOperation(call(encode('mint', account, 1n))), asked],
    [toOperation(encode('execute', friend, 0n, encode('transfer', thief, 1n))), asked],
    [
      { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', payload: 'Sign in to Example', hashFunction: 'HASH_FUNCTION_SHA256' },
      signed,
    ],
  ] as const)
    expect((await sign(user, content)).status, content.payload).toBe(status)
})

test('asks before it signs a transfer or approval to somebody outside the address book', async () => {
  const user = await limited({ ...rules, recipients: [friend] })
  for (const [callData, status] of [
    [pay(friend, 1n), signed],
    [pay(thief, 1n), asked],
    [call(encode('transfer', friend, 1n)), signed],
    [call(encode('transfer', thief, 1n)), asked],
    [call(encode('approve', thief, 1n)), asked],
  ] as const)
    expect((await sign(user, toOperation(callData))).status).toBe(status)
})

test("applies the project's limits besides the user's own", async () => {
  const spending: SpendingRules = { ...rules, limits: [{ chainId: 1, token: 'native', perDay: '5' }] }
  const strict = await startTestCustody({ project: { signing: { spending }, confirmations: 'mail' } })
  try {
    const user = await strict.createUser()
    const send = async (value: bigint) => {
      const content = toOperation(pay(thief, value))
      const parameters = { hashFunction: 'HASH_FUNCTION_NO_OP', signWith: user.address, ...content }
      const request = strict.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', user.orgId, parameters)
      return (await strict.call('submit/sign_raw_payload', request, user.key)).body.activity.status
    }
    expect([await send(5n), await send(1n)]).toEqual([signed, asked])
  } finally {
    await strict.close()
  }
})

describe('changing the rules', () => {
  test('waits for an email in any direction, also from a proven passkey', async () => {
    const [passkey, user] = [createAuthenticator(), await custody.createUser()]
    const registered = { authenticatorName: 'passkey-1', ...passkey.register() }
    const added = { userId: user.userId, authenticators: [registered] }
    const { body } = await submit('create_authenticators', user, added, '_V2')
    await custody.decide(body.activity.id)
    custody.advance(1_441 * minuteMs)
    const request = custody.activity('ACTIVITY_TYPE_SET_SPENDING_RULES', user.orgId, { rules })
    const reply = await custody.callByPasskey('submit/set_spending_rules', request, passkey)
    expect(reply.body.activity.status).toBe(asked)
    expect(
      (await custody.callByPasskey('query/get_spending_rules', { organizationId: user.orgId }, passkey)).body,
    ).toEqual({
      rules: null,
      spending: [],
    })
    const { content } = await custody.readQueued(reply.body.activity.id, 'confirm')
    expect(content).toMatchObject({
      action: 'change-limits',
      acts: [
        {
          title: 'Sign without asking up to these limits',
          facts: [
            { name: 'Native currency on chain 1', value: 'up to 1 a day' },
            { name: 'Token on chain 1', value: expect.stringMatching(/^0x.*: up to 100 \(smallest unit\) a day$/) },
            { name: 'Everything else', value: 'Signed without asking' },
            { name: 'Recipients', value: 'Anybody' },
          ],
        },
      ],
    })
  })

  test('removes them after a confirmation', async () => {
    const user = await limited()
    expect((await readRules(user)).rules).toEqual(rules)
    await setRules(user, null)
    expect((await sign(user, toOperation(pay(thief, parseEther('9'))))).status).toBe(signed)
  })

  test.each([
    ['a limit of no amount', { limits: [{ chainId: 1, token, perDay: '' }] }],
    ['a negative limit', { limits: [{ chainId: 1, token, perDay: '-1' }] }],
    ['two limits of a token', { limits: [1, 2].map((perDay) => ({ chainId: 1, token, perDay: String(perDay) })) }],
    ['a token that is no address', { limits: [{ chainId: 1, token: '0x1', perDay: '1' }] }],
    ['an empty address book', { recipients: [] }],
    ['201 recipients', { recipients: Array.from({ length: 201 }, () => friend) }],
    ['a member that it does not know', { perWeek: 1 }],
  ])('refuses %s', async (_, changes) => {
    const user = await custody.createUser()
    expect((await submit('set_spending_rules', user, { rules: { ...rules, ...changes } })).status).toBe(400)
  })

  test('refuses an account whose rules were removed in the database', async () => {
    const user = await limited()
    await custody.store.pool.query('update organizations set spending_rules = null where id = $1', [user.orgId])
    const reply = await custody.call('submit/sign_raw_payload', toSigning(user, toOperation('0x')), user.key)
    expect(reply.status).toBe(404)
  })
})
