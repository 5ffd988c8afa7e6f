import { createClient, custom } from 'viem'
import { sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { createDeploymentMethods } from './createDeploymentMethods.ts'

const address = '0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6'

/** The implementation of an account whose storage slot holds `value`. */
function readImplementation(value: unknown) {
  const client = createClient({ chain: sepolia, transport: custom({ request: async () => value }) })
  const deployment = createDeploymentMethods({ client, address, predicted: undefined, requireInitCode: () => '0x' })
  return deployment.getImplementationAddress()
}

test('default: the implementation of a proxy', async () => {
  // An implementation that starts with zero bytes keeps all 20.
  const slot = '0x0000000000000000000000000046000000000151008789797b54fdb500e2a61e'
  expect(await readImplementation(slot)).toBe('0x0046000000000151008789797b54fdb500E2a61e')
})

test('behavior: a shortened slot is the same address', async () => {
  expect(await readImplementation('0x1')).toBe('0x0000000000000000000000000000000000000001')
})

test('error: no slot', async () => {
  await expect(readImplementation(null)).rejects.toMatchObject({
    code: 'STORAGE_SLOT_FAILED',
    shortMessage: expect.stringContaining('(Proxy Implementation Address)'),
  })
})
