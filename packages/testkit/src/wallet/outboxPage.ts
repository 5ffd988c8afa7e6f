import { createClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toLightAccount } from '../../../latchkey/src/accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../../../latchkey/src/core/chains/latchkeyDev.ts'
import type { OutboxPort } from '../../../latchkey/src/core/outbox/OutboxPort.ts'
import { createSmartAccountClient } from '../../../latchkey/src/wallet/client/createSmartAccountClient.ts'
import type { SmartAccountClient } from '../../../latchkey/src/wallet/client/types.ts'
import { indexedDbOutbox } from '../../../latchkey/src/web/indexedDbOutbox.ts'

// Page that sends operations with an outbox. Reports each request and write to the test's server, which may close the
// page at any of them.

export type OutboxPageConfig = { chainId: number; owner: Hex; version: 'v1.1.0' | 'v2.0.0'; run: string }

async function open({ chainId, owner, version, run }: OutboxPageConfig): Promise<SmartAccountClient> {
  const chain = defineLatchkeyDevChain({ id: chainId })
  const transport = http(`${location.origin}/rpc/${run}`, { retryCount: 0 })
  const account = await toLightAccount({
    client: createClient({ chain, transport }),
    owner: privateKeyToAccount(owner),
    version,
  })
  const store = indexedDbOutbox()
  const step = (name: string) => fetch(`/step/${run}`, { method: 'POST', body: name })
  const slow: OutboxPort = {
    ...store,
    async add(record) {
      await step('before the record')
      await store.add(record)
      await step('after the record')
    },
    async update(...parameters) {
      await step('before a change')
      const kept = await store.update(...parameters)
      await step('after a change')
      return kept
    },
  }
  const opts = { txWatchIntervalMs: 50, outboxConfirmations: 0 }
  return createSmartAccountClient({ account, chain, transport, outbox: { store: slow }, opts })
}

const page = { open, indexedDbOutbox }
declare global {
  interface Window {
    outbox: typeof page
    client: SmartAccountClient
  }
}
window.outbox = page
