import {
  encodeHandleOps,
  type LightOperation,
  type SignedOperation,
  sponsoredOperation,
  type Version,
} from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { createWalletClient, type Hex, http, numberToHex, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { createChain } from '../chains/createChain.ts'
import { createOperations } from './createOperations.ts'

// This file mines and reverts blocks, so it starts its own chain.
const gateway = await startTestGateway()
afterAll(() => gateway.close())

const versions: Version[] = ['0.6.0', '0.7.0']

function scanner(confirmations = 0) {
  const chain = createChain({ ...gateway.chain, confirmations })
  const operations = createOperations({ db: gateway.deps.db, chains: [chain], logger: silentLogger })
  return () => operations.scan(chain)
}

const prepare = (version: Version, more?: { operation?: LightOperation; maxFeePerGas?: number }) =>
  sponsoredOperation(gateway, version, more)

async function include(version: Version, signed: SignedOperation): Promise<Hex> {
  const account = privateKeyToAccount(generatePrivateKey())
  await gateway.setBalance(account.address, parseEther('10'))
  const wallet = createWalletClient({ account, transport: http(gateway.chain.nodeUrls[0]) })
  const data = encodeHandleOps(version, signed, account.address)
  const to = devAddresses.entryPoints[version]
  const hash = await wallet.sendTransaction({ to, data, gas: 3_000_000n, chain: null })
  expect((await waitForTransaction(gateway.client, hash)).status).toBe('success')
  return hash
}

const readRow = (hash: Hex) =>
  gateway.db.selectFrom('operations').selectAll().where('user_op_hash', '=', hash).executeTakeFirstOrThrow()
const readLedger = (hash: Hex) =>
  gateway.db.selectFrom('reservations').selectAll().where('user_op_hash', '=', hash).executeTakeFirst()
const mine = (blocks: number) => gateway.request('anvil_mine', [numberToHex(blocks)])

test.each(versions)('settles an operation included by another bundler, entry point %s', async (version) => {
  const scan = scanner()
  const { signed } = await prepare(version)
  expect(await readRow(signed.hash)).toMatchObject({ state: 'signed', project_id: 'app', policy_id: 'default' })
  const transaction = await include(version, signed)
  await scan()
  const { result } = await gateway.ask('eth_getUserOperationReceipt', [signed.hash])
  const { actualGasCost, actualGasUsed } = result as { actualGasCost: Hex; actualGasUsed: Hex }
  expect(await readRow(signed.hash)).toMatchObject({
    state: 'included',
    success: true,
    transaction_hash: transaction,
    actual_gas_cost: BigInt(actualGasCost).toString(),
    actual_gas_used: BigInt(actualGasUsed).toString(),
    confirmed_at: expect.any(Date),
  })
  expect(await readLedger(signed.hash)).toMatchObject({
    state: 'settled',
    actual_cost: BigInt(actualGasCost).toString(),
  })
})

test('marks the operation that lost its nonce as replaced', async () => {
  const scan = scanner()
  const first = await prepare('0.7.0')
  const second = await prepare('0.7.0', { operation: first.operation, maxFeePerGas: 1.2 })
  expect(second.signed.hash).not.toBe(first.signed.hash)
  await include('0.7.0', second.signed)
  await scan()
  expect(await readRow(first.signed.hash)).toMatchObject({ state: 'replaced', replaced_by: second.signed.hash })
  expect(await readRow(second.signed.hash)).toMatchObject({ state: 'included', replaced_by: null })
})

test('reopens an operation whose block is reverted and settles it in its next block', async () => {
  const scan = scanner(5)
  await scan()
  const { signed } = await prepare('0.7.0')
  const snapshot = await gateway.request('evm_snapshot')
  await include('0.7.0', signed)
  await scan()
  const before = await readRow(signed.hash)
  expect(before).toMatchObject({ state: 'included', confirmed_at: null })
  expect(await readLedger(signed.hash)).toMatchObject({ state: 'settled' })

  await gateway.request('evm_revert', [snapshot])
  await mine(1)
  await scan()
  expect(await readRow(signed.hash)).toMatchObject({ state: 'signed', block_number: null, actual_gas_cost: null })
  expect(await readLedger(signed.hash)).toBeUndefined()

  await include('0.7.0', signed)
  await scan()
  const after = await readRow(signed.hash)
  expect(after).toMatchObject({ state: 'included', confirmed_at: null })
  expect(after.block_hash).not.toBe(before.block_hash)
  await mine(5)
  await scan()
  expect(await readRow(signed.hash)).toMatchObject({ confirmed_at: expect.any(Date), block_hash: after.block_hash })
  expect(await readLedger(signed.hash)).toMatchObject({ state: 'settled', block_hash: after.block_hash })
})

test('reads a confirmed block again when the chain loses it', async () => {
  const scan = scanner()
  await scan()
  const { signed } = await prepare('0.6.0')
  const snapshot = await gateway.request('evm_snapshot')
  await include('0.6.0', signed)
  await scan()
  expect(await readRow(signed.hash)).toMatchObject({ state: 'included', confirmed_at: expect.any(Date) })
  await gateway.request('evm_revert', [snapshot])
  await mine(1)
  await scan()
  expect(await readRow(signed.hash)).toMatchObject({ state: 'signed', confirmed_at: null })
  await include('0.6.0', signed)
  await scan()
  expect(await readRow(signed.hash)).toMatchObject({ state: 'included', confirmed_at: expect.any(Date) })
})

test('drops an expired operation once a later block is confirmed', async () => {
  const scan = scanner(2)
  const { signed } = await prepare('0.7.0')
  await scan()
  const { valid_until } = await readRow(signed.hash)
  const after = Math.floor((valid_until?.getTime() ?? 0) / 1000) + 1
  await gateway.request('evm_setNextBlockTimestamp', [toHex(after)])
  await mine(2)
  await scan()
  expect(await readRow(signed.hash)).toMatchObject({ state: 'signed' })
  await mine(1)
  await scan()
  expect(await readRow(signed.hash)).toMatchObject({ state: 'dropped', failure: 'The paymaster signature expired.' })
})

test('logs and ledger operations our paymaster paid without a row of ours', async () => {
  const scan = scanner()
  await scan()
  const { signed } = await prepare('0.7.0')
  await gateway.db.deleteFrom('operations').where('user_op_hash', '=', signed.hash).execute()
  await include('0.7.0', signed)
  await scan()
  const row = await readRow(signed.hash)
  expect(row).toMatchObject({ state: 'included', project_id: null })
  expect(await readLedger(signed.hash)).toMatchObject({ state: 'settled', actual_cost: row.actual_gas_cost })
})

test('writes each inclusion once from concurrent copies', async () => {
  const scans = [scanner(), scanner(), scanner()]
  const { signed } = await prepare('0.7.0')
  await include('0.7.0', signed)
  await Promise.all(scans.map((scan) => scan()))
  const events = gateway.db.selectFrom('operation_events').select('state').where('user_op_hash', '=', signed.hash)
  expect((await events.orderBy('id').execute()).map(({ state }) => state)).toEqual(['signed', 'included', 'included'])
})
