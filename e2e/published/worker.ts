import { test as base } from '@latchkey/testkit/worker'
import { type CustodyServer, startCustodyServer } from './startCustodyServer.ts'

type WorkerFixtures = {
  custodyServer: CustodyServer
  /** This custody keeps a project's default: sensitive changes wait for a mail. */
  confirmingServer: CustodyServer
}

/** Workers share these servers between the tests of published clients. */
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
