import {
  encodeHandleOps,
  foreignDummy,
  type LightOperation,
  lightOperation,
  signAndSend,
  signOperation,
  type Version,
} from '@latchkey/testkit/gateway/lightOperation'
import { ownPaymasters, samplePaymasterOptions } from '@latchkey/testkit/gateway/paymasters'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccounts } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import type { gatewayApp } from '../app.ts'
import type { ChainOptions } from '../chains/ChainOptions.ts'

const { demo, entryPoints, paymasters, samplePaymasters } = devAddresses
const [{ address: executor }] = devAccounts
const versions = ['0.6.0', '0.7.0'] as const
const each = test.each(versions)
const abi = parseAbi(['function mint(address to, uint256 amount)'])
const mint = encodeFunctionData({ abi, functionName: 'mint', args: [demo, 1n] })

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
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

/** As a client of ERC-7677 goes about it: stub, estimate, fees, the paymaster's data. */
async function fill(operation: LightOperation, app?: App): Promise<Fields> {
  const stub = await ask('pm_getPaymasterStubData', toParams(operation), app)
  const draft = { ...operation.userOperation, ...stub }
  const gas = await ask('eth_estimateUserOperationGas', [draft, entryPoints[operation.version]], app)
  const tip = await gateway.ask('eth_maxPriorityFeePerGas', [], app)
  const fees = { maxPriorityFeePerGas: tip.result as Hex, maxFeePerGas: numberToHex(3_000_000_000n) }
  // Some bundlers report fields that no operation has.
  const { verificationGas, ...limits } = gas
  const settled = { ...stub, ...limits, ...fees }
  return { ...settled, ...(await ask('pm_getPaymasterData', toParams(operation, settled), app)) }
}

async function include(operation: LightOperation, filled: Fields) {
  const { hash, reply } = await signAndSend(gateway, operation, filled)
  expect(reply).toMatchObject({ result: hash })
  return gateway.waitForReceipt(hash)
}

each('default: stub, estimate and data end in an included operation, entry point %s', async (version) => {
  const operation = await createOperation(version)
  const filled = await fill(operation)
  expect(await include(operation, filled)).toMatchObject({ success: true, paymaster: paymasters[version] })
})

each('behavior: each kind of paymaster pays, entry point %s', async (version) => {
  // Another gateway, over the same books, is the upstream service.
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

each(
  'behavior: the documented dummy passes an estimate, whichever gas manager it names, entry point %s',
  async (version) => {
    const { userOperation } = await createOperation(version)
    // Ours straight to the bundler; another manager's through the gateway.
    for (const [payer, isDirect] of [
      [paymasters[version], true],
      [paymasters[version], false],
      ['0xc03aac639bb21233e0139381970328db8bceeb67', false],
    ] as const) {
      const dummy =
        version === '0.6.0'
          ? { paymasterAndData: `${payer}${foreignDummy.slice(2)}` }
          : { paymaster: payer, paymasterData: foreignDummy }
      const params = [{ ...userOperation, ...dummy }, entryPoints[version]]
      const [bundlerUrl = ''] = gateway.chain.bundlerUrls
      const reply = isDirect
        ? await askBundler(bundlerUrl, 'eth_estimateUserOperationGas', params)
        : await gateway.ask('eth_estimateUserOperationGas', params)
      expect(reply).toMatchObject({ result: { callGasLimit: expect.stringMatching(/^0x/) } })
    }
  },
)

async function askBundler(url: string, method: string, params: unknown) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body })).json()
}

each('behavior: a stub is no signature, and leaves nothing in the books, entry point %s', async (version) => {
  const operation = await createOperation(version)
  const rows = () => gateway.db.selectFrom('sponsorships').select('id').execute()
  const before = await rows()
  const stub = await ask('pm_getPaymasterStubData', toParams(operation))
  expect(await rows()).toEqual(before)
  const filled = { ...(await fill(operation)), ...stub }
  const { reply } = await signAndSend(gateway, operation, filled)
  expect(reply.error?.code).toBe(-32507)
})

test('param: context', async () => {
  const operation = await createOperation('0.7.0')
  const filled = await fill(operation)
  const given = { ...filled, paymaster: '0x', paymasterData: '0x' } as Fields
  for (const context of [undefined, null, {}, { policyId: 'default' }, { policyId: ['default', 'other'] }])
    expect(await ask('pm_getPaymasterData', toParams(operation, given, context))).toMatchObject({
      paymaster: paymasters['0.7.0'],
    })
})

test('error: another chain, an unknown policy or entry point, malformed values', async () => {
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
})

test('error: a paymaster service that is down, and its URL stays out of the message', async () => {
  const operation = await createOperation('0.7.0')
  const url = 'http://127.0.0.1:1/secret-key'
  const app = gateway.withChain({ paymasters: { '0.7.0': { kind: 'erc7677', url } } })
  const { error } = await gateway.ask('pm_getPaymasterStubData', toParams(operation), app)
  expect(error).toMatchObject({ code: -32002, data: { code: 'PAYMASTER_UNREACHABLE' } })
  expect(JSON.stringify(error)).not.toContain('secret-key')
})

test('behavior: of two operations signed for at once the sample paymaster pays for one alone on entry point 0.6; ours for both', async () => {
  for (const [options, isBoth] of [
    [samplePaymasterOptions, false],
    [ownPaymasters, true],
  ] as const) {
    const app = gateway.withChain({ paymasters: options })
    const made = await createOperation('0.6.0')
    expect(await include(made, await fill(made, app))).toMatchObject({ success: true })
    const withKey = (key: bigint): LightOperation => ({
      ...made,
      userOperation: { ...made.userOperation, initCode: '0x', nonce: numberToHex(key << 64n) },
    })
    const [first, second] = [withKey(5n), withKey(6n)]
    const filled = await Promise.all([fill(first, app), fill(second, app)])
    expect(await include(first, filled[0])).toMatchObject({ success: true })
    const signed = await signOperation(gateway.chainId, second, filled[1])
    const data = encodeHandleOps('0.6.0', signed, executor)
    const included = gateway.client.call({ account: executor, to: entryPoints['0.6.0'], data })
    if (isBoth) await expect(included).resolves.toBeDefined()
    else await expect(included).rejects.toThrow('AA34 signature error')
  }
})
