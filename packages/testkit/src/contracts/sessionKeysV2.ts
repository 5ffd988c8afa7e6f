import type { Address, Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { TestChain } from '../chain.ts'
import { FixtureError } from '../FixtureError.ts'
import {
  createOperation,
  handle,
  inContext,
  installSigner,
  type ModularV2TestAccount,
  type Operation,
  type OperationFields,
} from './modularAccountsV2.ts'

export type SessionKeyV2 = {
  it: ModularV2TestAccount
  entityId: number
  key: PrivateKeyAccount
  /** Signs an operation with the key, with a validation by selectors. */
  sign(callData: Hex, fields?: OperationFields): Promise<Operation>
  /** Signs like `sign`, but wraps the call data in executeUserOp, which execution hooks require. */
  signInContext(callData: Hex, fields?: OperationFields): Promise<Operation>
}

/** Adds a key with entity id 5 and these hooks to an account. */
export async function createSessionKeyV2(
  chain: TestChain,
  it: ModularV2TestAccount,
  hooks: readonly Hex[],
  { selectors, flags }: { selectors?: readonly Hex[]; flags?: number } = {},
): Promise<SessionKeyV2> {
  const entityId = 5
  const key = await chain.freshAccount()
  const install = installSigner(key.address, entityId, {
    hooks,
    ...(selectors && { selectors }),
    ...(flags !== undefined && { flags }),
  })
  const [result] = await handle(chain, await createOperation(chain, it, install, { callGasLimit: 5_000_000n }))
  if (!result?.success) throw new FixtureError(`The key was not installed: ${result?.reason}.`)
  const sign = (callData: Hex, fields: OperationFields = {}) =>
    createOperation(chain, it, callData, { signer: key, entityId, options: 0, ...fields })
  return { it, entityId, key, sign, signInContext: (callData, fields) => sign(inContext(callData), fields) }
}

export type AllowlistInput = {
  target: Address
  hasSelectorAllowlist?: boolean
  hasERC20SpendLimit?: boolean
  erc20SpendLimit?: bigint
  selectors?: readonly Hex[]
}

export const toAllowlistInput = (input: AllowlistInput) => ({
  hasSelectorAllowlist: input.selectors !== undefined,
  hasERC20SpendLimit: input.erc20SpendLimit !== undefined,
  erc20SpendLimit: 0n,
  selectors: [],
  ...input,
})
