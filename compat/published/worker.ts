import { test as base } from '@latchkey/testkit/worker'
import { type CustodyServer, startCustodyServer } from './startCustodyServer.ts'

type WorkerFixtures = {
  /** Custody over HTTP. Tests make users of their own. */
  custodyServer: CustodyServer
  /** The same with the default of a project: what reveals a key or changes who may sign waits for a mail. */
  confirmingServer: CustodyServer
}

/** Starts the servers that the tests of published clients share, once a worker. */
export const test = base.extend<WorkerFixtures>({
  custodyServer: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const custody = await startCustodyServer()
      await use(custody)
      await custody.close()
    },
    { scope: 'worker' },
  ],
  confirmingServer: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const custody = await startCustodyServer({ project: { confirmations: 'mail' } })
      await use(custody)
      await custody.close()
    },
    { scope: 'worker' },
  ],
})
