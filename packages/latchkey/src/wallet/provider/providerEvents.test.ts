import { EventEmitter } from 'node:events'
import { recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import fc from 'fast-check'
import { mainnet } from 'viem/chains'
import { expect, test } from 'vitest'
import { createProvider } from './createProvider.ts'

const chainId = '0xaa36a7'

test("adds and removes listeners as Node's EventEmitter does", async () => {
  const { client } = await recordedClient()
  const elsewhere = await recordedClient({ chain: mainnet })
  const provider = createProvider({ client, clients: [elsewhere.client] })
  const node = new EventEmitter()
  const heard: string[][] = [[], []]
  const listeners = heard.map((texts) => ({
    a: (value: unknown) => texts.push(`a ${String(value)}`),
    b: (value: unknown) => texts.push(`b ${String(value)}`),
  }))
  const names = ['chainChanged', 'accountsChanged', 'disconnect'] as const
  const emitters = [provider, node] as EventEmitter[]
  const both = (act: (emitter: EventEmitter, own: { a: () => void; b: () => void }) => void) =>
    emitters.forEach((emitter, index) => {
      act(emitter, listeners[index] as unknown as { a: () => void; b: () => void })
    })
  let now = chainId
  const change = async () => {
    now = now === chainId ? '0x1' : chainId
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: now }] })
    node.emit('chainChanged', now)
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('on', 'removeListener'), fc.constantFrom(...names), fc.constantFrom('a', 'b'))),
      async (steps) => {
        for (const [step, name, listener] of steps) {
          both((emitter, own) => void emitter[step as 'on'](name, own[listener as 'a']))
          await change()
        }
        expect(heard[0]).toEqual(heard[1])
      },
    ),
    { numRuns: 20 },
  )
  expect(heard[0]?.length).toBeGreaterThan(0)
})
