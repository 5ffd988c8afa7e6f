import { createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { lightAccountActions } from '../../accounts/actions/lightAccountActions.ts'
import type { OperationClient } from '../../accounts/actions/OperationClient.ts'
import { latchkeyDev } from '../../core/chains/latchkeyDev.ts'
import { requireSmartAccountClient } from './requireSmartAccountClient.ts'

const client = createPublicClient({ chain: latchkeyDev, transport: http('http://127.0.0.1:9') })

test('default: a client that sends user operations', () => {
  expect(() => requireSmartAccountClient({ sendUserOperation: () => {} }, 'transferOwnership')).not.toThrow()
})

test('error: any other client', () => {
  expect(() => requireSmartAccountClient(client, 'transferOwnership')).toThrow(
    expect.objectContaining({
      name: 'IncompatibleClientError',
      code: 'CLIENT_INCOMPATIBLE',
      shortMessage: 'Client of type (publicClient) is not a SmartAccountClient.',
    }),
  )
})

test('behavior: actions of a light account on another client, asked for from plain JavaScript', async () => {
  const { transferOwnership } = lightAccountActions(client as unknown as OperationClient)
  await expect(transferOwnership({ newOwner: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })).rejects.toMatchObject({
    code: 'CLIENT_INCOMPATIBLE',
    metaMessages: ['Create one with `createSmartAccountClient` first before using `transferOwnership`'],
  })
})
