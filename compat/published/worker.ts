import { test as base, oncePerWorker } from '@latchkey/testkit/worker'
import { type CustodyServer, startCustodyServer } from './startCustodyServer.ts'

type WorkerFixtures = {
  custodyServer: CustodyServer
  /** This custody keeps a project's default: sensitive changes wait for a mail. */
  confirmingServer: CustodyServer
}

/** Workers share these servers between the tests of published clients. */
export const test = base.extend<WorkerFixtures>({
  custodyServer: oncePerWorker(() => startCustodyServer()),
  confirmingServer: oncePerWorker(() => startCustodyServer({ project: { confirmations: 'mail', exportsTo: 'frame' } })),
})
