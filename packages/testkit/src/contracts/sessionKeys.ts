import {
  type Address,
  concat,
  decodeErrorResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  toHex,
  zeroHash,
} from 'viem'
import type { TestChain } from '../chain.ts'
import { sessionKeyUpdatesAbi } from './modularAccountAbis.ts'
import {
  createModularAccount,
  createOperation,
  errors,
  handle,
  type ModularTestAccount,
  multiOwnerPlugin,
  type OperationFields,
  sessionKeyPlugin,
  validate,
} from './modularAccounts.ts'
import { readRevert } from './readRevert.ts'
import { ask, encodeInstall } from './scriptedPlugins.ts'

export type Call = { target: Address; value: bigint; data: Hex }
type Key = Awaited<ReturnType<TestChain['freshAccount']>>
export type SessionAccount = ModularTestAccount & { key: Key }

/** Encodes a change of permissions as a function call that no contract implements. */
export const update = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: sessionKeyUpdatesAbi, functionName, args })

export const allowAll = update('setAccessListType', 2)

export async function installSessionKeys(
  it: ModularTestAccount,
  keys: readonly Address[],
  permissions: readonly (readonly Hex[])[],
  tags: readonly Hex[] = keys.map(() => zeroHash),
) {
  const { data: manifest = '0x' } = await it.read.call({ to: sessionKeyPlugin.address, data: ask.pluginManifest })
  const types = [{ type: 'address[]' }, { type: 'bytes32[]' }, { type: 'bytes[][]' }] as const
  const owners = multiOwnerPlugin.address
  return encodeInstall(
    it,
    { address: sessionKeyPlugin.address, manifestHash: keccak256(manifest) },
    {
      data: encodeAbiParameters(types, [keys, tags, permissions]),
      dependencies: [concat([owners, toHex(0, { size: 1 })]), concat([owners, toHex(1, { size: 1 })])],
    },
  )
}

export async function createSessionAccount(chain: TestChain, permissions: readonly Hex[]): Promise<SessionAccount> {
  const it = await createModularAccount(chain)
  const key = await chain.freshAccount()
  const install = await installSessionKeys(it, [key.address], [permissions])
  await it.by.transact({ to: it.address, data: encodeFunctionData(install), gas: 5_000_000n })
  return { ...it, key }
}

export const executeData = (calls: readonly Call[], sessionKey: Address): Hex =>
  encodeFunctionData({ ...sessionKeyPlugin, functionName: 'executeWithSessionKey', args: [calls, sessionKey] })

export const sessionOperation = (
  chain: TestChain,
  it: SessionAccount,
  calls: readonly Call[],
  fields: OperationFields = {},
) => createOperation(chain, it, executeData(calls, it.key.address), { signer: it.key, ...fields })

export const byOwner = ({ address, by }: ModularTestAccount, functionName: string, ...args: readonly unknown[]) =>
  by.transact({ to: address, data: encodeFunctionData({ ...sessionKeyPlugin, functionName, args }), gas: 3_000_000n })

export function createKeyTrials(chain: TestChain) {
  const check = async (it: SessionAccount, calls: readonly Call[], fields?: OperationFields) =>
    validate(chain, it, await sessionOperation(chain, it, calls, fields))
  return {
    check,
    refusal: (it: SessionAccount, calls: readonly Call[], fields?: OperationFields) =>
      readRevert(check(it, calls, fields)),
    /** Runs calls in one operation. Returns the revert of the execution, if any. */
    async run(it: SessionAccount, calls: readonly Call[], fields?: OperationFields) {
      const [result] = await handle(chain, await sessionOperation(chain, it, calls, fields))
      if (result?.success) return 'done'
      const { errorName, args } = decodeErrorResult({ abi: errors, data: result?.reason ?? '0x' })
      return { name: errorName, args }
    },
    info: (it: SessionAccount, functionName: string, ...args: readonly unknown[]) =>
      it.read.readContract({ ...sessionKeyPlugin, functionName, args: [it.address, it.key.address, ...args] }),
  }
}
