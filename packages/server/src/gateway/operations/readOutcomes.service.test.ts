import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { lightOperation, sponsoredOperation } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { failingAfterwards } from '@latchkey/testkit/wallet/stubContracts'
import { test } from '@latchkey/testkit/worker'
import { type Address, encodeErrorResult, encodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { afterAll, expect } from 'vitest'
import { claimUnread, writeOutcome } from './operationOutcomes.ts'

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain, background: true })
})
afterAll(() => gateway?.close())

const friend: Address = '0x00000000000000000000000000000000000000ff'
const other: Address = '0x00000000000000000000000000000000000000ee'
const holder: Address = '0x00000000000000000000000000000000000000dd'
const move = (functionName: 'transfer' | 'approve', value: bigint, to = friend) => ({
  to: demo,
  data: encodeFunctionData({ abi: demoAbi, functionName, args: [to, value] }),
})

async function readRow(hash: Hex) {
  const rows = gateway.db.selectFrom('operations').selectAll().where('user_op_hash', '=', hash)
  return rows.executeTakeFirstOrThrow()
}

async function send({ hash, params }: { hash: Hex; params: unknown }) {
  const { error } = await gateway.ask('eth_sendUserOperation', params)
  expect(error).toBeUndefined()
  await expect.poll(async () => (await readRow(hash)).outcome).not.toBeNull()
  return readRow(hash)
}

test('stores what the operation itself moved and approved', async () => {
  const operation = await lightOperation(gateway, '0.7.0', (sender) => [
    mint(sender, 70n),
    move('transfer', 30n),
    move('approve', 5n),
  ])
  const { signed } = await sponsoredOperation(gateway, '0.7.0', { operation })
  const { success, outcome, outcome_block, block_hash } = await send(signed)
  expect([success, outcome_block]).toEqual([true, block_hash])
  const token = { standard: 'ERC-20', contract: demo.toLowerCase(), tokenId: null } as const
  const from = operation.sender.toLowerCase()
  expect(outcome).toEqual({
    revertData: null,
    count: 3,
    changes: [
      { kind: 'transfer', ...token, from: `0x${'0'.repeat(40)}`, to: from, amount: '70' },
      { kind: 'transfer', ...token, from, to: friend, amount: '30' },
      { kind: 'approval', ...token, from, to: friend, amount: '5' },
    ],
  })
})

async function transact(from: Address, call: { to: Address; data: Hex }): Promise<void> {
  await gateway.setBalance(from, 10n ** 18n)
  await gateway.request('anvil_impersonateAccount', [from])
  const hash = (await gateway.request('eth_sendTransaction', [{ from, ...call }])) as Hex
  expect((await waitForTransaction(gateway.client, hash)).status).toBe('success')
}

test('stores the revert data of a call', async () => {
  const take = encodeFunctionData({
    abi: parseAbi(['function transferFrom(address from, address to, uint256 value)']),
    args: [holder, other, 9n],
  })
  const operation = await lightOperation(gateway, '0.6.0', [{ to: demo, data: take }])
  await transact(holder, mint(holder, 9n))
  await transact(holder, move('approve', 9n, operation.sender))
  const { signed } = await sponsoredOperation(gateway, '0.6.0', { operation })
  // The holder moves the tokens between the simulation and the block.
  await transact(holder, move('transfer', 9n, other))
  const { success, outcome } = await send(signed)
  expect(success).toBe(false)
  const revertData = encodeErrorResult({ abi: demoAbi, errorName: 'InsufficientBalance', args: [holder, 0n, 9n] })
  expect(outcome).toEqual({ revertData, changes: [], count: 0 })
})

test('stores the revert data of a paymaster that fails after the calls', async () => {
  const operation = await lightOperation(gateway, '0.7.0', (sender) => [mint(sender, 1n)])
  const { signed } = await sponsoredOperation(gateway, '0.7.0', { operation })
  const paymaster = signed.params[0].paymaster as Address
  // The paymaster's code has changed by the time the block is mined.
  const code = await gateway.client.getCode({ address: paymaster })
  await gateway.request('anvil_setCode', [paymaster, failingAfterwards('0x52')])
  const { success, outcome } = await send(signed)
  await gateway.request('anvil_setCode', [paymaster, code])
  expect(success).toBe(false)
  const selector = toFunctionSelector('PostOpReverted(bytes)')
  expect(outcome).toMatchObject({ revertData: expect.stringMatching(`^${selector}`), changes: [], count: 0 })
})

test('rereads a receipt when its block changes, a limited number of times', async () => {
  const { db } = gateway
  const [userOpHash, first, second] = [`0x${'01'.repeat(32)}`, `0x${'0a'.repeat(32)}`, `0x${'0b'.repeat(32)}`]
  // No gateway reads this chain.
  const chainId = 77_777
  const row = { chain_id: chainId, entry_point: '0xe', sender: '0x5', nonce: 0n, state: 'included' as const }
  await db
    .insertInto('operations')
    .values({ user_op_hash: userOpHash, ...row, block_number: 1n, block_hash: first, actual_gas_cost: 1n })
    .execute()
  const claim = async () => (await claimUnread(db, { chainId, limit: 5 })).map(({ block_hash }) => block_hash)
  const outcome = { revertData: null, changes: [], count: 0 }
  expect(await claim()).toEqual([first])
  await writeOutcome(db, { userOpHash, blockHash: first, outcome })
  expect(await claim()).toEqual([])

  await db.updateTable('operations').set({ block_hash: second }).where('user_op_hash', '=', userOpHash).execute()
  expect(await claim()).toEqual([second])
  await writeOutcome(db, { userOpHash, blockHash: first, outcome })
  let claims = 0
  while ((await claim()).length > 0) claims++
  // One attempt was for the first block and one for the second.
  expect(claims).toBe(8)
})
