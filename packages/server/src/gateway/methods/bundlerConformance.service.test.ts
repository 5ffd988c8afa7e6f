import { lightOperation, sponsoredOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { type Hex, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

/** The RPC rules of ERC-7769, through the gateway. Rules that need safe mode (ERC-7562) are not tested: see docs. */

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway?.close())

const versions: Version[] = ['0.6.0', '0.7.0']
const quantity = expect.stringMatching(/^0x(?:0|[1-9a-f][0-9a-f]*)$/)
const readEntryPoint = (version: Version) => devAddresses.entryPoints[version]
const target = '0x00000000000000000000000000000000000000aa' as const

test('behavior: eth_chainId and eth_supportedEntryPoints', async () => {
  expect((await gateway.ask('eth_chainId', [])).result).toBe(toHex(gateway.chainId))
  const { result } = await gateway.ask('eth_supportedEntryPoints', [])
  expect(result).toEqual(Object.values(devAddresses.entryPoints))
})

test.each(versions)(
  'behavior: eth_estimateUserOperationGas takes an operation without gas, entry point %s',
  async (version) => {
    const { sender, userOperation } = await lightOperation(gateway, version, [{ to: target }])
    await gateway.setBalance(sender, 10n ** 18n)
    const { result } = await gateway.ask('eth_estimateUserOperationGas', [userOperation, readEntryPoint(version)])
    expect(result).toMatchObject({
      preVerificationGas: quantity,
      verificationGasLimit: quantity,
      callGasLimit: quantity,
    })
  },
)

test.each(versions)('behavior: an operation from its hash to its receipt, entry point %s', async (version) => {
  const { signed } = await sponsoredOperation(gateway, version)
  const [operation] = signed.params
  for (const method of ['eth_getUserOperationByHash', 'eth_getUserOperationReceipt'])
    expect((await gateway.ask(method, [signed.hash])).result).toBeNull()
  expect((await gateway.ask('eth_sendUserOperation', signed.params)).result).toBe(signed.hash)
  await gateway.waitForReceipt(signed.hash)
  const { result: found } = await gateway.ask('eth_getUserOperationByHash', [signed.hash])
  expect(found).toMatchObject({
    userOperation: { nonce: operation.nonce, callData: operation.callData, signature: operation.signature },
    entryPoint: expect.stringMatching(new RegExp(`^${readEntryPoint(version)}$`, 'i')),
    transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    blockHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    blockNumber: quantity,
  })
  const { result: receipt } = await gateway.ask('eth_getUserOperationReceipt', [signed.hash])
  expect(receipt).toMatchObject({
    userOpHash: signed.hash,
    entryPoint: expect.stringMatching(new RegExp(`^${readEntryPoint(version)}$`, 'i')),
    nonce: '0x0',
    success: true,
    actualGasCost: quantity,
    actualGasUsed: quantity,
    logs: expect.any(Array),
    receipt: { transactionHash: (found as { transactionHash: Hex }).transactionHash },
  })
})

test.each(versions)('error: codes of what is refused, entry point %s', async (version) => {
  const { signed } = await sponsoredOperation(gateway, version)
  const [operation, entryPoint] = signed.params
  const { sender: _, ...withoutSender } = operation
  const refuse = async (params: unknown) => (await gateway.ask('eth_sendUserOperation', params)).error?.code
  expect(await refuse([withoutSender, entryPoint])).toBe(-32602)
  expect(await refuse([operation, target])).toBe(-32602)
  expect(await refuse([operation])).toBe(-32602)
  expect(await refuse([{ ...operation, nonce: 'nonsense' }, entryPoint])).toBe(-32602)
  // AA24 or a revert of the account on a wrong signature; AA33 or AA34 on changed fields that the paymaster signed for.
  const wrong = `${operation.signature?.slice(0, -4)}01${operation.signature?.slice(-2)}`
  expect([-32500, -32507]).toContain(await refuse([{ ...operation, signature: wrong }, entryPoint]))
  expect([-32500, -32501, -32507]).toContain(
    await refuse([{ ...operation, callGasLimit: toHex(BigInt(operation.callGasLimit ?? 0) + 1n) }, entryPoint]),
  )
})

test('error: a call that reverts, and a method that no bundler has', async () => {
  const calls = [{ to: devAddresses.demo, data: '0x12345678' } as const]
  const { sender, userOperation } = await lightOperation(gateway, '0.7.0', calls)
  await gateway.setBalance(sender, 10n ** 18n)
  const reverted = await gateway.ask('eth_estimateUserOperationGas', [userOperation, readEntryPoint('0.7.0')])
  expect(reverted.error?.code).toBe(-32521)
  expect((await gateway.ask('eth_noSuchMethod', [])).error?.code).toBe(-32601)
  expect((await gateway.ask('eth_getUserOperationByHash', ['0x12'])).error?.code).toBe(-32602)
})
