import { type Address, concat, decodeErrorResult, encodeFunctionData, type Hex, pad, parseEventLogs, toHex } from 'viem'
import { entryPoint06Abi } from 'viem/account-abstraction'
import { startTestChain, type TestChain } from '../chain.ts'
import { entryPoint, errors, type Operation, packed } from './modularAccounts.ts'
import type { Asked } from './sessionKeyModel.ts'
import { type Call, type SessionAccount, sessionOperation } from './sessionKeys.ts'

// Contracts check time limits of session keys against block timestamps.

export const [a, token, coin] = [
  '0x000000000000000000000000000000000000a001',
  '0x000000000000000000000000000000000000c001',
  '0x000000000000000000000000000000000000c002',
] as const
export const transfer = (value: bigint) => concat(['0xa9059cbb', pad(a), toHex(value, { size: 32 })])
export const to = (target: Address, data: Hex = '0x', value = 0n): Call => ({ target, value, data })

/** Starts a chain with tokens that accept any call. */
export async function startTokenChain(): Promise<TestChain> {
  const chain = await startTestChain()
  for (const address of [token, coin]) await chain.request('anvil_setCode', [address, '0x600160005260206000f3'])
  return chain
}

export const readSecond = async ({ read }: SessionAccount) => Number((await read.getBlock()).timestamp)
export const at = (chain: TestChain, second: number) => chain.request('evm_setNextBlockTimestamp', [second])

/** Runs an operation in a block with the given timestamp and returns the outcome. */
export async function runAt(chain: TestChain, second: number, operation: Operation): Promise<string> {
  const { account, transact } = chain.client(4)
  const args = [[packed(operation)], account.address] as const
  const data = encodeFunctionData({ abi: entryPoint06Abi, functionName: 'handleOps', args })
  await at(chain, second)
  const sent = await transact({ to: entryPoint, data, gas: 10_000_000n }).catch(() => undefined)
  if (!sent) return 'not valid'
  const [revert] = parseEventLogs({ abi: entryPoint06Abi, logs: sent.logs, eventName: 'UserOperationRevertReason' })
  return revert ? decodeErrorResult({ abi: errors, data: revert.args.revertReason }).errorName : 'done'
}

export const operationFor = (chain: TestChain, it: SessionAccount, { calls, cost, isOwnNonceKey, paymaster }: Asked) =>
  sessionOperation(chain, it, calls, {
    nonceKey: isOwnNonceKey ? BigInt(it.key.address) : 0n,
    // The operation uses all of its gas, so its cost is known exactly.
    callGasLimit: cost / gasPrice - 2_050_000n,
    ...(paymaster && { paymasterAndData: paymaster, verificationGasLimit: 666_666n, preVerificationGas: 50_002n }),
  })
export const gasPrice = 2_000_000_000n
export const cost = 3_000_000n * gasPrice
