import { test as base, oncePerWorker } from '@latchkey/testkit/worker'
import { type CustodyServer, startCustodyServer } from './startCustodyServer.ts'

type WorkerFixtures = {
  custodyServer: CustodyServer
  /** Custody with a project's default setting: sensitive changes require a confirmation by e-mail. */
  confirmingServer: CustodyServer
}

/** Starts servers that all tests of a worker share. */
export const test = base.extend<WorkerFixtures>({
  custodyServer: oncePerWorker(() => startCustodyServer()),
  confirmingServer: oncePerWorker(() =>
    startCustodyServer({ project: { confirmations: 'mail', exportsTo: 'frame', importsTo: 'frame' } }),
  ),
})
