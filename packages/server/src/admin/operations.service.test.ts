import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { encodeErrorResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { logFailed, logSent } from '../store/operations.ts'

const sender = `0x${'5a'.repeat(20)}`
const entryPoint = `0x${'e0'.repeat(20)}`
const blockHash = `0x${'b0'.repeat(32)}`
const friend: Hex = `0x${'0f'.repeat(20)}`
const callData = encodeFunctionData({
  abi: parseAbi(['function execute(address dest, uint256 value, bytes func)']),
  args: [friend, 12n, '0xfeedf00d'],
})
const [signature, paymasterAndData] = [`0x${'51'.repeat(65)}`, `0x${'9a'.repeat(97)}`]
const bytes = (more = {}) => JSON.stringify([{ sender, callData, signature, paymasterAndData, ...more }, entryPoint])

const admin = await startTestAdmin()
afterAll(() => admin.close())

let count = 0
async function send(request: string): Promise<string> {
  count++
  const userOpHash = `0x${count.toString(16).padStart(64, '0')}`
  await logSent(admin.owner.db, {
    userOpHash,
    chainId: 1,
    entryPoint,
    sender,
    nonce: BigInt(count),
    paymaster: null,
    projectId: 'shop',
    request,
  })
  return userOpHash
}
const readCalls = (userOpHash: string) => admin.call('get', `/operations/${userOpHash}/calls`, { as: 'viewer' })

test('shows what an operation asks for and nothing that was signed', async () => {
  const { status, body } = await readCalls(await send(bytes()))
  expect(status).toBe(200)
  expect(body).toMatchObject({
    callData,
    count: 1,
    calls: [{ to: friend, value: '12', selector: '0xfeedf00d', signature: null }],
    changes: [{ kind: 'transfer', standard: 'native', from: sender, to: friend, amount: '12' }],
  })
  for (const secret of [signature, paymasterAndData]) expect(JSON.stringify(body)).not.toContain(secret.slice(2))
  expect((await readCalls(`0x${'ee'.repeat(32)}`)).status).toBe(404)
})

test('explains a failure by code, phrase and revert data', async () => {
  const reason = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['too late'] })
  for (const [failure, explanation] of [
    [`validation: AA21 didn't pay prefund`, { code: 'AA21', what: expect.stringContaining('cannot pay') }],
    ['replacement underpriced', { code: 'USER_OPERATION_INVALID', hint: expect.stringContaining('Wait for it') }],
    [`call failed: ${reason}`, { code: 'CONTRACT_REVERTED', reason: 'execution reverted: too late' }],
    ['something else', null],
  ] as const) {
    const userOpHash = await send(bytes())
    await logFailed(admin.owner.db, { userOpHash, projectId: 'shop', failure })
    const { body } = await admin.call('get', `/operations/${userOpHash}`, { as: 'viewer' })
    expect(body.failure).toBe(failure)
    if (explanation) expect(body.explanation).toMatchObject(explanation)
    else expect(body.explanation).toBeNull()
    expect((await readCalls(userOpHash)).body).toEqual({ callData: null, count: 0, calls: null, changes: [] })
  }
})

test('shows the outcome of a receipt only for its current block', async () => {
  const revertData = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['too late'] })
  const change = { kind: 'transfer', standard: 'ERC-20', contract: friend, from: sender, to: friend, amount: '3' }
  const outcome = { revertData, changes: [{ ...change, tokenId: null }], count: 101 }
  for (const [outcomeBlock, shown, reason] of [
    [blockHash, { changes: outcome.changes, count: 101 }, 'execution reverted: too late'],
    [`0x${'b1'.repeat(32)}`, null, null],
  ] as const) {
    const userOpHash = await send(bytes())
    await admin.owner.pool.query(
      `update operations set state = 'included', success = false, block_number = 1, block_hash = $2, actual_gas_cost = 1,
        outcome = $3, outcome_block = $4 where user_op_hash = $1`,
      [userOpHash, blockHash, JSON.stringify(outcome), outcomeBlock],
    )
    const { body } = await admin.call('get', `/operations/${userOpHash}`, { as: 'viewer' })
    expect([body.outcome, body.explanation.reason]).toEqual([shown, reason])
  }
})
