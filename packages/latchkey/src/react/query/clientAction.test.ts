import { expect, test } from 'vitest'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { clientActionMutationOptions } from './clientAction.ts'

// What is done with a client is the actions' own: here they only look at it.
const client = { uid: 'one' } as SmartAccountClient
const actions = (of: SmartAccountClient) => ({
  nameTwice: async (separator: string) => `${of.uid}${separator}${of.uid}`,
  fail: () => {
    throw new RangeError('no')
  },
})

test('default: calls the action of the client by name', async () => {
  const { mutationFn } = clientActionMutationOptions(client, actions)
  expect(await mutationFn({ functionName: 'nameTwice', args: ['-'] })).toBe('one-one')
})

test('error: what the action throws, and a name that is none', async () => {
  const { mutationFn } = clientActionMutationOptions(client, actions)
  await expect(mutationFn({ functionName: 'fail', args: [] })).rejects.toThrow(RangeError)
  await expect(mutationFn({ functionName: 'other', args: [] } as never)).rejects.toThrow('other is not an action')
})
