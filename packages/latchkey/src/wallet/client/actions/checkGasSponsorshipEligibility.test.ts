import { type RecordedClientOptions, recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import { expect, test } from 'vitest'

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const
const gasManagerConfig = { policyId: 'POLICY' }

async function check(options?: RecordedClientOptions, overrides?: { paymasterAndData?: '0x'; paymasterData?: '0x' }) {
  const { client } = await recordedClient(options)
  return client.checkGasSponsorshipEligibility({ uo, overrides })
}

test('returns true when the policy pays', async () => {
  expect(await check({ gasManagerConfig })).toBe(true)
  expect(await check({ gasManagerConfig, version: 'v2.0.0' })).toBe(true)
})

test('returns false when the account pays for itself', async () => {
  expect(await check()).toBe(false)
  expect(await check({ version: 'v2.0.0' })).toBe(false)
  expect(await check({ gasManagerConfig }, { paymasterAndData: '0x' })).toBe(false)
  expect(await check({ gasManagerConfig, version: 'v2.0.0' }, { paymasterData: '0x' })).toBe(false)
})

test('returns false when the policy refuses', async () => {
  const reply: RecordedClientOptions['reply'] = ({ method }) =>
    method.startsWith('pm_') ? { error: { code: -32000, message: 'policy limit reached' } } : undefined
  expect(await check({ gasManagerConfig, reply })).toBe(false)
})
