import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { listen } from '../../packages/server/src/platform/http/listen.ts'

/** Custody that published clients call over HTTP at `url`. */
export type CustodyServer = TestCustody & { url: string }

export async function startCustodyServer(options?: Parameters<typeof startTestCustody>[0]): Promise<CustodyServer> {
  const custody = await startTestCustody(options)
  const server = await listen((request) => custody.app.fetch(request), { port: 0 })
  return {
    ...custody,
    url: server.url,
    async close() {
      await server.close()
      await custody.close()
    },
  }
}
