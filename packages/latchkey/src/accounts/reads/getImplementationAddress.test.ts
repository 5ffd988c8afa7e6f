import { createClient, custom } from 'viem'
import { expect, test } from 'vitest'
import { getImplementationAddress } from './getImplementationAddress.ts'

const address = '0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6'
const answering = (value: unknown) => createClient({ transport: custom({ request: async () => value }) })

test('default', async () => {
  // An implementation that starts with zero bytes keeps all 20.
  const client = answering('0x0000000000000000000000000046000000000151008789797b54fdb500e2a61e')
  expect(await getImplementationAddress({ client, address })).toBe('0x0046000000000151008789797b54fdb500E2a61e')
})

test('behavior: a shortened answer is the same address', async () => {
  expect(await getImplementationAddress({ client: answering('0x1'), address })).toBe(
    '0x0000000000000000000000000000000000000001',
  )
})

test('error: no answer', async () => {
  await expect(getImplementationAddress({ client: answering(null), address })).rejects.toMatchObject({
    code: 'STORAGE_SLOT_FAILED',
    shortMessage: expect.stringContaining('(Proxy Implementation Address)'),
  })
})
