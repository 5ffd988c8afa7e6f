import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { latchkeyDev } from '../../core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '../../signer/endpoints.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { createConfig } from '../../wallet/createConfig.ts'
import { LatchkeyProvider } from '../LatchkeyProvider.ts'
import { useClientActions } from './useClientActions.ts'

// The actions only read this member of a client.
const client = { uid: 'one' } as SmartAccountClient
const actions = (client: SmartAccountClient) => ({
  joinTwice: async (separator: string) => `${client.uid}${separator}${client.uid}`,
  fail: (): number => {
    throw new RangeError('no')
  },
})

/** The hook's `executeActionAsync` for these actions. */
function execute<made extends useClientActions.Actions>(
  actions: useClientActions.Parameters<made>['actions'],
  variables: useClientActions.Variables<made>,
): Promise<useClientActions.Result<made>> {
  const config = createConfig({
    chain: latchkeyDev,
    apiKey: 'key',
    endpoints: latchkeyEndpoints('http://localhost:4101'),
    ssr: true,
  })
  return new Promise((resolve, reject) => {
    const use = () => {
      useClientActions({ client, actions }).executeActionAsync(variables).then(resolve, reject)
    }
    renderToString(
      <LatchkeyProvider config={config}>
        <Probe use={use} />
      </LatchkeyProvider>,
    )
  })
}

function Probe({ use }: { use: () => void }) {
  use()
  return null
}

test('default: calls the action of the client by name', async () => {
  expect(await execute(actions, { functionName: 'joinTwice', args: ['-'] })).toBe('one-one')
})

test('error: what the action throws, and an unknown name', async () => {
  await expect(execute(actions, { functionName: 'fail', args: [] })).rejects.toThrow(RangeError)
  const none = (): Record<string, () => void> => ({})
  await expect(execute(none, { functionName: 'other', args: [] })).rejects.toThrow('other is not an action')
})
