import {
  foreignDummy,
  type LightOperation,
  lightOperation,
  signAndSend,
} from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { type Address, encodeFunctionData, type Hex, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

/** Entry point 0.7. */

const entryPoint = devAddresses.entryPoints['0.7.0']
const paymaster = devAddresses.paymasters['0.7.0']
const { demo } = devAddresses
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
])

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway?.close())

const mint = (to: Address, amount = '100') =>
  encodeFunctionData({ abi, functionName: 'mint', args: [to, parseEther(amount)] })

/** A new light account, which mints 100 DEMO to itself. */
const minting = () => lightOperation(gateway, '0.7.0', (sender) => [{ to: demo, data: mint(sender) }])

function sponsor({ userOperation, dummySignature }: LightOperation, more: object = {}) {
  // As clients send it: with a dummy of their own, and no gas fields.
  const dummy = { paymaster, paymasterData: foreignDummy }
  const request = {
    policyId: 'default',
    entryPoint,
    userOperation: { ...userOperation, ...dummy },
    dummySignature,
    overrides: {},
    ...more,
  }
  return gateway.ask('alchemy_requestGasAndPaymasterAndData', [request])
}

test('default', async () => {
  const operation = await minting()
  const { result, error } = await sponsor(operation)
  expect(error).toBeUndefined()
  const filled = result as Record<string, Hex>
  expect(Object.keys(filled).sort()).toEqual([
    'callGasLimit',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'paymaster',
    'paymasterData',
    'paymasterPostOpGasLimit',
    'paymasterVerificationGasLimit',
    'preVerificationGas',
    'verificationGasLimit',
  ])
  const { paymaster: payer, paymasterData, paymasterPostOpGasLimit, ...gas } = filled
  expect(payer).toBe(paymaster)
  // Two words ‖ 65-byte signature.
  expect(paymasterData).toMatch(/^0x[0-9a-f]{24}0{40}[0-9a-f]{130}$/)
  expect(paymasterPostOpGasLimit).toMatch(/^0x(0|[1-9a-f][0-9a-f]*)$/)
  for (const value of Object.values(gas)) expect(value).toMatch(/^0x[1-9a-f][0-9a-f]*$/)

  const { hash, reply } = await signAndSend(gateway, operation, filled)
  expect(reply).toMatchObject({ result: hash })
  const receipt = await gateway.waitForReceipt(hash)
  expect(receipt).toMatchObject({ success: true })
  expect(receipt?.paymaster.toLowerCase()).toBe(paymaster.toLowerCase())
  const balance = (address: Address) =>
    gateway.client.readContract({ address, abi, functionName: 'balanceOf', args: [operation.sender] })
  expect(await balance(demo)).toBe(parseEther('100'))
  // The account had nothing, has nothing, and owes nothing.
  expect(await balance(entryPoint)).toBe(0n)
  expect(await gateway.client.getBalance({ address: operation.sender })).toBe(0n)

  const row = await gateway.db
    .selectFrom('sponsorships')
    .selectAll()
    .where('user_op_hash', '=', hash)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    project_id: 'app',
    policy_id: 'default',
    state: 'signed',
    entry_point: entryPoint.toLowerCase(),
  })
  expect(BigInt(row.max_cost)).toBeGreaterThanOrEqual(BigInt(receipt?.actualGasCost ?? '0x0'))

  // A second operation of the account that is there now.
  const { factory, factoryData, ...rest } = operation.userOperation
  const next = { ...operation, userOperation: { ...rest, nonce: '0x1' as Hex } }
  const second = await signAndSend(gateway, next, (await sponsor(next)).result as Record<string, Hex>)
  expect(await gateway.waitForReceipt(second.hash)).toMatchObject({ success: true })
  expect(await balance(demo)).toBe(parseEther('200'))
})

test('param: overrides', async () => {
  const operation = await minting()
  const overrides = {
    maxFeePerGas: '0x77359400',
    callGasLimit: { multiplier: 1.5 },
    paymasterVerificationGasLimit: { multiplier: 2 },
    paymasterPostOpGasLimit: '0x0',
  }
  const [plain, changed] = await Promise.all([sponsor(operation), sponsor(operation, { overrides })])
  const was = plain.result as Record<string, Hex>
  const filled = changed.result as Record<string, Hex>
  const of = (values: Record<string, Hex>, name: string) => BigInt(values[name] ?? '0x0')
  expect(filled).toMatchObject({ maxFeePerGas: '0x77359400', paymasterPostOpGasLimit: '0x0' })
  expect(of(filled, 'callGasLimit')).toBe((of(was, 'callGasLimit') * 15n + 9n) / 10n)
  expect(of(filled, 'paymasterVerificationGasLimit')).toBe(of(was, 'paymasterVerificationGasLimit') * 2n)
  const { hash, reply } = await signAndSend(gateway, operation, filled)
  expect(reply).toMatchObject({ result: hash })
  expect(await gateway.waitForReceipt(hash)).toMatchObject({ success: true })
})

test('error: a signature made for one operation pays for no other, nor with other limits', async () => {
  const operation = await minting()
  const filled = (await sponsor(operation)).result as Record<string, Hex>
  const other = await lightOperation(gateway, '0.7.0', [{ to: demo, data: mint(operation.sender, '1000') }])
  expect((await signAndSend(gateway, other, filled)).reply.error).toMatchObject({
    message: expect.stringMatching(/AA34|signature/i),
  })
  const raised = { ...filled, paymasterVerificationGasLimit: '0x30d40' as Hex }
  expect((await signAndSend(gateway, operation, raised)).reply.error).toMatchObject({
    message: expect.stringMatching(/AA34|signature/i),
  })
})

test('error: a call that reverts, malformed values, values no entry point takes', async () => {
  const operation = await minting()
  const reverting = await lightOperation(gateway, '0.7.0', [{ to: demo, data: '0xdeadbeef' }])
  expect((await sponsor(reverting)).error?.code).toBe(-32521)
  const { factoryData, ...halfMade } = operation.userOperation
  const cases: [object, string, string][] = [
    [{ userOperation: halfMade }, 'REQUEST_INVALID', 'factory and factoryData go together'],
    [{ userOperation: { ...operation.userOperation, nonce: '7' } }, 'REQUEST_INVALID', 'userOperation.nonce'],
    [{ overrides: { paymasterPostOpGasLimit: `0x1${'0'.repeat(30)}` } }, 'REQUEST_INVALID', 'paymasterPostOpGasLimit'],
    [{ policyId: 'theirs' }, 'POLICY_NOT_FOUND', 'theirs'],
  ]
  for (const [more, code, text] of cases) {
    const { error } = await sponsor(operation, more)
    expect(error).toMatchObject({ code: -32602, data: { code }, message: expect.stringContaining(text) })
  }
})
