import type { Chain, Client, Transport } from 'viem'
import { createChunk } from '../../../core/createChunk.ts'
import { readNames } from './readNames.ts'
import type { ReadActions } from './reads.ts'

const readsChunk = /* @__PURE__ */ createChunk({ name: 'reads', import: () => import('./reads.ts') })

/**
 * Returns viem's read actions as client members. They are loaded on first use, because neither sign-in nor sending
 * needs them.
 */
export function readActions(client: Client<Transport, Chain>): ReadActions {
  const bound = Object.keys(readNames).map((name) => [
    name,
    async (parameters: never) => {
      const { reads } = await readsChunk.load()
      const action = reads[name as keyof ReadActions] as (client: Client, parameters: never) => unknown
      return action(client as Client, parameters)
    },
  ])
  return Object.fromEntries(bound) as ReadActions
}
