import { startTestChain } from '@latchkey/testkit/chain'
import { encodeFunctionData, parseAbi, parseEther } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { createUpstream } from '../rpc/createUpstream.ts'
import { createSchemes } from './schemes.ts'
import { findPaymasterProblems, readPaymaster, watchPaymasters } from './watchPaymasters.ts'

const abi = parseAbi([
  'function withdrawTo(address to, uint256 amount)',
  'function unlockStake()',
  'function deposit() payable',
])
const paymaster = devAddresses.paymasters['0.7.0']
const signer = devAccountOf.paymasterSigner.address

// This file changes deposit and stake, so it starts its own chain.
const chain = await startTestChain()
afterAll(() => chain.close())

function setUp() {
  const node = createUpstream({ kind: 'node', urls: [chain.nodeUrl], timeoutMs: 10_000, chainId: chain.chainId })
  const options = {
    '0.6.0': { kind: 'erc7677', url: 'http://127.0.0.1:1' },
    '0.7.0': { kind: 'latchkey', address: paymaster },
  } as const
  const schemes = createSchemes({ chainId: chain.chainId, paymasters: options })
  const lines: string[] = []
  const note = (_: object, message: string) => void lines.push(message)
  const logger: Logger = { info: note, warn: note, error: note }
  return { node, schemes, lines, logger, chains: [{ chainId: chain.chainId, node, schemes }] }
}

test('reads deposit, stake and signers', async () => {
  const { node, schemes } = setUp()
  const states = await Promise.all(schemes.map((scheme) => readPaymaster(node, scheme)))
  expect(states).toEqual([
    undefined,
    {
      entryPoint: devAddresses.entryPoints['0.7.0'],
      paymaster,
      deposit: parseEther('100'),
      stake: parseEther('10'),
      isStaked: true,
      unstakeDelaySeconds: 86_400,
      signers: [signer],
    },
  ])
  for (const state of states) if (state) expect(findPaymasterProblems(state, signer)).toEqual([])
})

test('warns once of a low deposit and a withdrawn stake, and reports recovery', async () => {
  const { chains, lines, logger } = setUp()
  const owner = chain.connect(devAccountOf.paymasterOwner.privateKey)
  const call = (functionName: 'withdrawTo' | 'unlockStake' | 'deposit', args: readonly unknown[] = [], value = 0n) =>
    owner.transact({ to: paymaster, value, data: encodeFunctionData({ abi, functionName, args } as never) })
  const rest = parseEther('99.95')
  await call('withdrawTo', [devAccountOf.paymasterOwner.address, rest])
  const low: object[] = []
  const watch = watchPaymasters({ chains, signer, logger, intervalMs: 20, onLow: (each) => void low.push(each) })
  try {
    await expect.poll(() => lines).toHaveLength(1)
    expect(lines[0]).toMatch(/deposit is low, 0\.05: deposit more/)
    expect(low[0]).toMatchObject({ chainId: chain.chainId, lowBelow: 10n ** 17n, state: { paymaster } })
    await call('deposit', [], rest)
    await expect.poll(() => lines).toHaveLength(2)
    expect(lines[1]).toBe('A paymaster is well again.')
    await call('unlockStake')
    await expect.poll(() => lines).toHaveLength(3)
    expect(lines[2]).toMatch(/not staked/)
  } finally {
    await watch.close()
  }
})
