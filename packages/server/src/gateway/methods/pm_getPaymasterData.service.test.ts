import {
  type LightOperation,
  lightOperation,
  signAndSend,
  type Version,
} from '@latchkey/testkit/gateway/lightOperation'
import { samplePaymasterOptions } from '@latchkey/testkit/gateway/paymasters'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { setPolicyPaused, upsertPolicy } from '../../store/ledger/policies.ts'
import type { gatewayApp } from '../app.ts'
import type { ChainOptions } from '../chains/ChainOptions.ts'

const { demo, entryPoints, paymasters, samplePaymasters } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const
const each = test.each(versions)
const abi = parseAbi(['function mint(address to, uint256 amount)'])
const mint = encodeFunctionData({ abi, functionName: 'mint', args: [demo, 1n] })

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

type App = ReturnType<typeof gatewayApp>
type Fields = Record<string, Hex>

const createOperation = (version: Version) => lightOperation(gateway, version, [{ to: demo, data: mint }])

function toParams({ version, userOperation }: LightOperation, more: Fields = {}, context: unknown = {}): unknown[] {
  const { paymasterAndData, ...rest } = userOperation
  return [{ ...rest, ...more }, entryPoints[version], numberToHex(gateway.chainId), context]
}

async function ask(method: string, params: unknown[], app?: App): Promise<Fields> {
  const { result, error } = await gateway.ask(method, params, app)
  expect(error).toBeUndefined()
  return result as Fields
}

async function fill(operation: LightOperation, app?: App): Promise<Fields> {
  const stub = await ask('pm_getPaymasterStubData', toParams(operation), app)
  const draft = { ...operation.userOperation, ...stub }
  const gas = await ask('eth_estimateUserOperationGas', [draft, entryPoints[operation.version]], app)
  const tip = await gateway.ask('eth_maxPriorityFeePerGas', [], app)
  const fees = { maxPriorityFeePerGas: tip.result as Hex, maxFeePerGas: numberToHex(3_000_000_000n) }
  // Some bundlers report fields that operations do not have.
  const { verificationGas, ...limits } = gas
  const settled = { ...stub, ...limits, ...fees }
  return { ...settled, ...(await ask('pm_getPaymasterData', toParams(operation, settled), app)) }
}

async function include(operation: LightOperation, filled: Fields) {
  const { hash, reply } = await signAndSend(gateway, operation, filled)
  expect(reply).toMatchObject({ result: hash })
  return gateway.waitForReceipt(hash)
}

each('includes an operation filled by stub, estimate and data, entry point %s', async (version) => {
  const operation = await createOperation(version)
  const filled = await fill(operation)
  expect(await include(operation, filled)).toMatchObject({ success: true, paymaster: paymasters[version] })
})

each('pays with each kind of paymaster, entry point %s', async (version) => {
  // Another gateway over the same ledger acts as the upstream service.
  const service = await gateway.serve(gateway.withChain({ paymasters: samplePaymasterOptions }))
  try {
    const url = service.url
    const kinds: [NonNullable<ChainOptions['paymasters']>, string][] = [
      [samplePaymasterOptions, samplePaymasters[version]],
      [
        { '0.6.0': { kind: 'erc7677', url }, '0.7.0': { kind: 'erc7677', url, context: { policyId: 'default' } } },
        samplePaymasters[version],
      ],
    ]
    for (const [options, payer] of kinds) {
      const app = gateway.withChain({ paymasters: options })
      const first = await createOperation(version)
      expect(await include(first, await fill(first, app))).toMatchObject({ success: true, paymaster: payer })
      const second = await createOperation(version)
      const { userOperation, dummySignature } = second
      const request = { policyId: 'default', entryPoint: entryPoints[version], userOperation, dummySignature }
      const filled = await ask('alchemy_requestGasAndPaymasterAndData', [request], app)
      expect(await include(second, filled)).toMatchObject({ success: true, paymaster: payer })
    }
  } finally {
    await service.close()
  }
})

each('signs nothing and ledger nothing for a stub, entry point %s', async (version) => {
  const operation = await createOperation(version)
  const rows = () => gateway.db.selectFrom('sponsorships').select('id').execute()
  const before = await rows()
  const stub = await ask('pm_getPaymasterStubData', toParams(operation))
  expect(await rows()).toEqual(before)
  const filled = { ...(await fill(operation)), ...stub }
  const { reply } = await signAndSend(gateway, operation, filled)
  expect(reply.error?.code).toBe(-32507)
})

test('previews the rules and the ledger of the policy in a stub', async () => {
  const { db } = gateway
  await upsertPolicy(db, { projectId: 'app', id: 'none', rules: { senders: [] } })
  await upsertPolicy(db, { projectId: 'app', id: 'spent', rules: { limits: { policy: { total: { count: 0 } } } } })
  await upsertPolicy(db, { projectId: 'app', id: 'paused' })
  await setPolicyPaused(db, 'app', 'paused', true)
  const operation = await createOperation('0.7.0')
  for (const [policyId, rule] of [
    ['none', 'senders'],
    ['spent', 'limits.policy.total.count'],
    ['paused', 'paused'],
  ])
    expect((await gateway.ask('pm_getPaymasterStubData', toParams(operation, {}, { policyId }))).error).toMatchObject({
      code: -32501,
      data: { code: 'POLICY_REFUSED', rule },
    })
})

test('refuses another chain, unknown policies and entry points, and malformed values', async () => {
  const operation = await createOperation('0.6.0')
  const [userOperation, entryPoint, chainId] = toParams(operation, await fill(operation))
  const cases: [unknown[], string, string][] = [
    [[userOperation, entryPoint, '0x1', {}], 'CHAIN_MISMATCH', '31337'],
    [[userOperation, entryPoint, chainId, { policyId: 'theirs' }], 'POLICY_NOT_FOUND', 'theirs'],
    [[userOperation, demo, chainId, {}], 'ENTRY_POINT_NOT_FOUND', demo],
    [[userOperation, entryPoint], 'REQUEST_INVALID', 'params'],
    [[userOperation, entryPoint, chainId, {}, {}], 'REQUEST_INVALID', 'params'],
    [[operation.userOperation, entryPoint, chainId, {}], 'REQUEST_INVALID', 'callGasLimit'],
  ]
  for (const [params, code, text] of cases)
    expect((await gateway.ask('pm_getPaymasterData', params)).error).toMatchObject({
      code: -32602,
      data: { code },
      message: expect.stringContaining(text),
    })
  for (const context of [null, { policyId: ['default', 'other'] }])
    await ask('pm_getPaymasterStubData', [userOperation, entryPoint, chainId, context])
})

test('keeps the URL of a failing paymaster service out of the error', async () => {
  const operation = await createOperation('0.7.0')
  const url = 'http://127.0.0.1:1/secret-key'
  const app = gateway.withChain({ paymasters: { '0.7.0': { kind: 'erc7677', url } } })
  const { error } = await gateway.ask('pm_getPaymasterStubData', toParams(operation), app)
  expect(error).toMatchObject({ code: -32002, data: { code: 'PAYMASTER_UNREACHABLE' } })
  expect(JSON.stringify(error)).not.toContain('secret-key')
})
