import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { queryExamples, submitExamples } from '@latchkey/testkit/custodyExamples'
import type { KeyScope } from 'latchkey-protocol'
import {
  type Abi,
  encodeFunctionData,
  type Hex,
  hashMessage,
  parseAbi,
  parseEther,
  serializeTransaction,
  toHex,
} from 'viem'
import { afterAll, expect, test } from 'vitest'

const custody = await startTestCustody({ project: { signing: { blind: 'allow' }, confirmations: 'mail' } })
afterAll(() => custody.close())

const { submit } = custodyCalls(() => custody)
const friend = `0x${'f1'.repeat(20)}` as const
const thief = `0x${'b2'.repeat(20)}` as const
const shop = `0x${'51'.repeat(20)}` as const
const abi = parseAbi(['function transferOwnership(address newOwner)', 'function buy(uint256 item)'])
const encode = (functionName: string, ...args: unknown[]) => encodeFunctionData({ abi: abi as Abi, functionName, args })
const scope: KeyScope = {
  limits: [{ chainId: 1, token: 'native', perDay: String(parseEther('1')) }],
  recipients: [friend],
  contracts: [shop],
}
const [signed, asked] = ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_PENDING']

async function addAgent(given: KeyScope = scope) {
  const user = await custody.createUser()
  const { key, parameters } = newApiKey()
  const apiKeys = [{ ...parameters, apiKeyName: 'Trading bot', scope: given }]
  const { body } = await submit('create_api_keys', user, { userId: user.userId, apiKeys }, '_V2')
  expect(body.activity.status).toBe(asked)
  const { content } = await custody.readQueued(body.activity.id, 'confirm')
  expect((await custody.decide(body.activity.id)).body.confirmation.state).toBe('confirmed')
  return { user, agent: { ...user, key }, content, id: (await readKeys(user)).find((one) => one.scope)?.apiKeyId ?? '' }
}

async function readKeys({ orgId, userId, key }: TestUser) {
  const { body } = await custody.call('query/get_api_keys', { organizationId: orgId, userId }, key)
  return body.apiKeys as { apiKeyId: string; scope?: KeyScope }[]
}

async function pay(by: TestUser, transaction: { to: Hex; value?: bigint; data?: Hex }) {
  const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, ...transaction })
  const parameters = { signWith: by.address, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction }
  const { status, body } = await submit('sign_transaction', by, parameters, '_V2')
  return body.activity?.status ?? status
}

test('names a key and its limits to the user who confirms it, and lists it', async () => {
  const { user, content } = await addAgent()
  expect(content).toMatchObject({
    action: 'add-key',
    acts: [
      {
        label: 'Key “Trading bot”',
        facts: [
          { name: 'Native currency on chain 1', value: 'up to 1 a day' },
          { name: 'Contracts', value: expect.stringMatching(/^0x5151/) },
          { name: 'Recipients', value: expect.stringMatching(/^0xF1/i) },
          { name: 'Everything else', value: 'Asks you' },
        ],
      },
    ],
  })
  expect((await readKeys(user)).filter((one) => one.scope)).toMatchObject([{ scope }])
})

test('signs within the scope at once, and asks the user for everything else', async () => {
  const { user, agent } = await addAgent()
  const cases: [name: string, transaction: { to: Hex; value?: bigint; data?: Hex }, status: string][] = [
    ['a payment to a known recipient', { to: friend, value: parseEther('0.4') }, signed],
    ['a call of a known contract', { to: shop, value: parseEther('0.4'), data: encode('buy', 1n) }, signed],
    ['more than the limit', { to: friend, value: parseEther('0.4') }, asked],
    ['a payment to somebody else', { to: thief, value: 1n }, asked],
    ['a call of another contract', { to: thief, data: encode('buy', 1n) }, asked],
    ['a change of owners', { to: shop, data: encode('transferOwnership', thief) }, asked],
  ]
  for (const [name, transaction, status] of cases) expect([name, await pay(agent, transaction)]).toEqual([name, status])
  // The user's own session has no such limit.
  expect(await pay(user, { to: thief, value: parseEther('5') })).toBe(signed)
  expect(await pay(agent, { to: friend, value: parseEther('0.2') })).toBe(signed)
})

test('asks the user for messages, and refuses digests although the project signs them', async () => {
  const { agent } = await addAgent()
  const sign = (content: object) =>
    submit(
      'sign_raw_payload',
      agent,
      { signWith: agent.address, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', ...content },
      '_V2',
    )
  const message = { hashFunction: 'HASH_FUNCTION_SHA256', payload: toHex('Sign in to Example') }
  expect((await sign(message)).body.activity.status).toBe(asked)
  const digest = { hashFunction: 'HASH_FUNCTION_NO_OP', payload: hashMessage('x') }
  expect((await sign(digest)).status).toBe(403)
})

const signs = ['sign_raw_payload', 'sign_raw_payloads', 'sign_transaction']
const reads = [
  'get_activity',
  'list_wallets',
  'list_wallet_accounts',
  'get_wallet',
  'get_wallet_account',
  'get_spending_rules',
]

test('refuses every other call', async () => {
  const { agent } = await addAgent()
  const outOfScope = { status: 403, body: { message: expect.stringContaining('may only sign') } }
  const others = Object.entries(submitExamples).filter(
    ([call, { by = 'user' }]) => by === 'user' && !signs.includes(call),
  )
  expect(others.length).toBeGreaterThan(20)
  for (const [call, { version = '' }] of others) {
    const request = custody.activity(`ACTIVITY_TYPE_${call.toUpperCase()}${version}`, agent.orgId, {})
    expect(await custody.call(`submit/${call}`, request, agent.key), call).toMatchObject(outOfScope)
  }
  for (const call of Object.keys(queryExamples)) {
    const { status, body } = await custody.call(`query/${call}`, { organizationId: agent.orgId }, agent.key)
    if (!reads.includes(call)) expect([call, status >= 400, body.message]).toEqual([call, true, expect.any(String)])
  }
  const whoami = await custody.call('query/whoami', { organizationId: agent.orgId }, agent.key)
  expect(whoami).toMatchObject(outOfScope)
})

test('ends at once when its user removes the key', async () => {
  const { user, agent, id } = await addAgent()
  const { body } = await submit('delete_api_keys', user, { userId: user.userId, apiKeyIds: [id] })
  expect((await custody.decide(body.activity.id)).status).toBe(200)
  expect(await pay(agent, { to: friend, value: 1n })).toBe(401)
})

test('refuses a key whose scope was removed in the database', async () => {
  const { user, agent } = await addAgent()
  await custody.store.pool.query('update credentials set scope = null where org_id = $1 and scope is not null', [
    user.orgId,
  ])
  expect(await pay(agent, { to: friend, value: 1n })).toBe(401)
})

test('does not count as a way to sign in', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  const apiKeys = [{ ...newApiKey().parameters, scope }]
  const added = await submit('create_api_keys', user, { userId: user.userId, apiKeys }, '_V2')
  await custody.decide(added.body.activity.id)
  const removed = await submit('update_user', user, { userId: user.userId, userEmail: '' })
  await custody.decide(removed.body.activity.id)
  const query = { organizationId: user.orgId, userId: user.userId }
  const { body } = await custody.callByPasskey('query/get_authenticators', query, passkey)
  const authenticatorIds = [body.authenticators[0].authenticatorId]
  const parameters = { userId: user.userId, authenticatorIds }
  const request = custody.activity('ACTIVITY_TYPE_DELETE_AUTHENTICATORS', user.orgId, parameters)
  expect(await custody.callByPasskey('submit/delete_authenticators', request, passkey)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('without a way to sign in') },
  })
})
