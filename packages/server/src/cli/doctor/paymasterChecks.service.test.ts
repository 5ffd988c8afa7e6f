import { randomUUID } from 'node:crypto'
import { startTestChain } from '@latchkey/testkit/chain'
import { encodeFunctionData, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { readConfig } from '../readConfig.ts'
import { doctor, type Finding } from './doctor.ts'

const abi = parseAbi([
  'function withdrawTo(address to, uint256 amount)',
  'function unlockStake()',
  'function withdrawStake(address to)',
  'function addStake(uint32 unstakeDelay) payable',
  'function startSignerRotation(address next)',
  'function finishSignerRotation()',
])
const { paymasters, samplePaymasters } = devAddresses
const { paymasterOwner, paymasterSigner } = devAccountOf

let snapshot: string
// This file reverts its chain to a snapshot, so it starts its own chain.
const chain = await startTestChain()
beforeEach(async () => {
  snapshot = (await chain.request('evm_snapshot', [])) as string
})
afterEach(() => chain.request('evm_revert', [snapshot]))
afterAll(() => chain.close())

function call(functionName: (typeof abi)[number]['name'], args: readonly unknown[] = [], value = 0n) {
  const data = encodeFunctionData({ abi, functionName, args } as never)
  return chain.connect(paymasterOwner.privateKey).transact({ to: paymasters['0.7.0'], value, data })
}

async function findings(more: Record<string, string> = {}): Promise<Record<'06' | '07', Finding>> {
  const config = readConfig({
    DATABASE_URL: 'postgres://gateway@127.0.0.1:1/none',
    LATCHKEY_MODE: 'development',
    LATCHKEY_ROLES: 'gateway',
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_NODE_URL: chain.nodeUrl,
    LATCHKEY_BUNDLER_URL: chain.nodeUrl,
    LATCHKEY_CHAIN_ID: String(chain.chainId),
    LATCHKEY_PAYMASTER_06: paymasters['0.6.0'],
    LATCHKEY_PAYMASTER_07: paymasters['0.7.0'],
    LATCHKEY_PAYMASTER_KEY: paymasterSigner.privateKey.slice(2),
    ...more,
  })
  const [first, second] = (await doctor(config)).filter(({ name }) => name.startsWith('paymaster'))
  if (!first || !second) throw new TypeError('The paymasters were not looked at.')
  return { '06': first, '07': second }
}

test('reports signer, deposit and stake', async () => {
  const well = { state: 'ok', text: `signer ${paymasterSigner.address.slice(0, 10)}, deposit 100, stake 10` }
  const found = await findings()
  expect([found['06'], found['07']]).toMatchObject([well, well])
})

test('reports a paymaster that trusts another signer', async () => {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  const found = await findings({ LATCHKEY_PAYMASTER_KEY: key.slice(2) })
  for (const finding of Object.values(found)) {
    expect(finding).toMatchObject({ state: 'fail' })
    expect(finding.text).toContain(
      `takes signatures of ${paymasterSigner.address}, and this gateway's key is ${address}`,
    )
    expect(finding.text).not.toContain(key.slice(2))
  }
})

test('accepts both signers during a rotation and the new one afterwards', async () => {
  const key = generatePrivateKey()
  await call('startSignerRotation', [privateKeyToAccount(key).address])
  const next = { LATCHKEY_PAYMASTER_KEY: key.slice(2) }
  const states = async () => [(await findings())['07'].state, (await findings(next))['07'].state]
  expect(await states()).toEqual(['ok', 'ok'])
  await call('finishSignerRotation')
  expect(await states()).toEqual(['fail', 'ok'])
  expect((await findings())['06'].state).toBe('ok')
})

test('reports a sample paymaster of another signer', async () => {
  const key = generatePrivateKey()
  const sample = { LATCHKEY_PAYMASTER_07: samplePaymasters['0.7.0'] }
  const other = { ...sample, LATCHKEY_PAYMASTER_KEY: key.slice(2) }
  expect((await findings(other))['07'].text).toContain('takes signatures of')
  expect((await findings(sample))['07'].text).not.toContain('takes signatures of')
})
