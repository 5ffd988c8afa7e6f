import { lightOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { setPolicyPaused, upsertPolicy } from '../../store/books/policies.ts'

const { entryPoints, demo } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway?.close())

const operation = async (version: Version) =>
  (await lightOperation(gateway, version, [{ to: demo, data: '0x12345678' }])).userOperation
const stub = (version: Version, userOperation: Record<string, Hex>, ...context: unknown[]) =>
  gateway.ask('pm_getPaymasterStubData', [userOperation, entryPoints[version], '0x7a69', ...context])
const count = async () => {
  const query = gateway.db.selectFrom('sponsorships').select(({ fn }) => fn.countAll().as('count'))
  return (await query.executeTakeFirstOrThrow()).count
}

test.each(versions)(
  'default: the fields of the paymaster, and nothing on the books, entry point %s',
  async (version) => {
    const before = await count()
    const userOperation = await operation(version)
    for (const context of [[], [{}], [null], [{ policyId: 'default' }]]) {
      const { result, error } = await stub(version, userOperation, ...context)
      expect(error).toBeUndefined()
      expect(Object.keys(result as object).sort()).toEqual(
        version === '0.6.0'
          ? ['paymasterAndData']
          : ['paymaster', 'paymasterData', 'paymasterPostOpGasLimit', 'paymasterVerificationGasLimit'],
      )
    }
    expect(await count()).toBe(before)
  },
)

test('error: what the policy does not pay for, by its rules and by its books', async () => {
  const { db } = gateway
  await upsertPolicy(db, { projectId: 'app', id: 'none', rules: { senders: [] } })
  await upsertPolicy(db, { projectId: 'app', id: 'spent', rules: { limits: { policy: { total: { count: 0 } } } } })
  await upsertPolicy(db, { projectId: 'app', id: 'paused' })
  await setPolicyPaused(db, 'app', 'paused', true)
  const userOperation = await operation('0.7.0')
  for (const [policyId, rule] of [
    ['none', 'senders'],
    ['spent', 'limits.policy.total.count'],
    ['paused', 'paused'],
  ])
    expect((await stub('0.7.0', userOperation, { policyId })).error).toMatchObject({
      code: -32501,
      data: { code: 'POLICY_REFUSED', rule },
    })
  expect((await stub('0.7.0', userOperation, { policyId: 'theirs' })).error?.data?.code).toBe('POLICY_NOT_FOUND')
})

test('error: another chain, another entry point, malformed values', async () => {
  const userOperation = await operation('0.7.0')
  const ask = async (...params: unknown[]) => (await gateway.ask('pm_getPaymasterStubData', params)).error?.data?.code
  expect(await ask(userOperation, entryPoints['0.7.0'], '0x1', {})).toBe('CHAIN_MISMATCH')
  expect(await ask(userOperation, demo, '0x7a69', {})).toBe('ENTRY_POINT_NOT_FOUND')
  expect(await ask(userOperation, entryPoints['0.7.0'])).toBe('REQUEST_INVALID')
  expect(await ask({ ...userOperation, nonce: '7' }, entryPoints['0.7.0'], '0x7a69', {})).toBe('REQUEST_INVALID')
})
