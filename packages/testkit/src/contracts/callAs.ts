import fc from 'fast-check'
import { type Abi, type AbiFunction, type Address, type PublicClient, toFunctionSignature } from 'viem'
import { expect } from 'vitest'
import { arbitraryArguments } from './arbitraryArguments.ts'
import { readRevert } from './readRevert.ts'

/**
 * Rule for a function. The listed callers succeed with these arguments; other callers must be refused with any
 * arguments.
 */
export type CallRule = { callers: readonly string[]; args?: readonly unknown[]; value?: bigint }

/** Returns the functions that change state. Each needs a rule. */
export function changingFunctions(abi: Abi): { signature: string; item: AbiFunction }[] {
  return abi
    .filter((item): item is AbiFunction => item.type === 'function' && /payable/.test(item.stateMutability))
    .map((item) => ({ signature: toFunctionSignature(item), item }))
}

type Call = { read: PublicClient; address: Address; abi: Abi; item: AbiFunction; caller: Address }

export async function expectAccepted({ read, address, item, caller, abi }: Call, rule: CallRule): Promise<void> {
  const errors = abi.filter(({ type }) => type === 'error')
  await read.simulateContract({
    address,
    abi: [item, ...errors],
    functionName: item.name,
    args: rule.args ?? [],
    account: caller,
    ...(rule.value === undefined ? {} : { value: rule.value }),
  })
}

export async function expectRefused(call: Call, rule: CallRule, revert: unknown): Promise<void> {
  const { read, address, item, caller, abi } = call
  const errors = abi.filter(({ type }) => type === 'error')
  const refused = async (args: readonly unknown[]): Promise<void> => {
    const common = { address, abi: [item, ...errors], functionName: item.name, args, account: caller }
    expect(await readRevert(read.simulateContract(common))).toEqual(revert)
  }
  if (rule.args) await refused(rule.args)
  await fc.assert(fc.asyncProperty(arbitraryArguments(item), refused), { numRuns: 3 })
}
