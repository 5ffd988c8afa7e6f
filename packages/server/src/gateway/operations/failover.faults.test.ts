import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cacheDir } from '@latchkey/testkit/chain'
import { checkLedger } from '@latchkey/testkit/gateway/checkLedger'
import { sponsoredOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { ownPaymasters } from '@latchkey/testkit/gateway/paymasters'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { encodeEventTopics, type Hex } from 'viem'
import { entryPoint06Abi } from 'viem/account-abstraction'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startBundler } from '../../../../dev/src/bundler/startBundler.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { freePorts } from '../../../../dev/src/devnet/freePorts.ts'

/** Two real bundlers serve one gateway. The first is killed while it has a pending operation. */
const addresses = Object.values(ownPaymasters).map((options) =>
  typeof options === 'object' && 'address' in options ? options.address : '0x',
)
const each = test.each<Version>(['0.6.0', '0.7.0'])

let gateway: TestGateway
let second: Awaited<ReturnType<typeof startBundler>>
beforeAll(async () => {
  gateway = await startTestGateway({ background: true })
  const entryPoints = Object.values(devAddresses.entryPoints)
  second = await startBundler({ port: await freePorts(1), nodeUrl: gateway.node.nodeUrl, entryPoints, cacheDir })
})
afterEach(() => gateway.node.startBundlerAgain())
afterAll(async () => {
  await second?.close()
  await gateway?.close()
})

async function expectIncludedOnce(hash: Hex, app: TestGateway['app']): Promise<void> {
  let state: string | undefined
  for (let tries = 0; tries < 3 && state !== 'included'; tries++) {
    const { result } = await gateway.ask('latchkey_waitForUserOperation', [hash], app)
    state = (result as { state?: string } | undefined)?.state
  }
  expect(state).toBe('included')
  const [topic] = encodeEventTopics({ abi: entryPoint06Abi, eventName: 'UserOperationEvent' })
  const filter = { fromBlock: '0x0', address: Object.values(devAddresses.entryPoints), topics: [topic, hash] }
  expect(await gateway.request('eth_getLogs', [filter])).toHaveLength(1)
  // The next read of blocks settles the operation.
  for (let looks = 0; looks < 600 && (await checkLedger(gateway, addresses)).length > 0; looks++)
    await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await checkLedger(gateway, addresses)).toEqual([])
}

each(
  'sends the same bytes to the other bundler when the first is killed before inclusion, %s',
  async (version) => {
    const app = gateway.withChain({ bundlerUrls: [gateway.node.bundlerUrl, second.url] })
    const { signed } = await sponsoredOperation(gateway, version)
    // While mining is off, the operation exists only in the first bundler and is lost with it.
    await gateway.request('evm_setAutomine', [false])
    try {
      expect(await gateway.ask('eth_sendUserOperation', signed.params, app)).toMatchObject({ result: signed.hash })
      await gateway.node.killBundler()
      await gateway.request('anvil_dropAllTransactions')
    } finally {
      await gateway.request('evm_setAutomine', [true])
    }
    await expectIncludedOnce(signed.hash, app)
  },
  120_000,
)

each(
  'includes an operation once when the bundler is killed before it answers, %s',
  async (version) => {
    const { bundlerUrl } = gateway.node
    let killed = 0
    const cutting = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const passed = await fetch(bundlerUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then((reply) => reply.text())
        .catch(() => undefined)
      if (passed === undefined || body.includes('"eth_sendUserOperation"')) {
        if (passed !== undefined) killed++
        await gateway.node.killBundler()
        return response.destroy()
      }
      response.end(passed)
    })
    await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`
      const app = gateway.withChain({ bundlerUrls: [url, second.url] })
      const { signed } = await sponsoredOperation(gateway, version)
      expect(await gateway.ask('eth_sendUserOperation', signed.params, app)).toMatchObject({ result: signed.hash })
      expect(killed).toBe(1)
      await expectIncludedOnce(signed.hash, app)
    } finally {
      cutting.closeAllConnections()
      cutting.close()
    }
  },
  120_000,
)
