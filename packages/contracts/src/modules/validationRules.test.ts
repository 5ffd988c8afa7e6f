import type { TestChain } from '@latchkey/testkit/chain'
import {
  createOperation,
  createSemiModularAccount,
  encode,
  encodeDeferred,
  entryPoint,
  execute,
  factory,
  hashOperation,
  inContext,
  installSigner,
  type ModularV2TestAccount,
  modularAccountV2,
  modules,
  type Operation,
  preHook,
  readNonce,
  toConfig,
  toNonceKey,
  validationHook,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { allowlistModuleAbi } from '@latchkey/testkit/contracts/modularAccountV2Abis'
import { createPasskeyAccount, encodeAssertion } from '@latchkey/testkit/contracts/passkeys'
import { createSessionKeyV2, toAllowlistInput } from '@latchkey/testkit/contracts/sessionKeysV2'
import { test } from '@latchkey/testkit/contracts/test'
import { strangersIn, type Trace, traceCall } from '@latchkey/testkit/contracts/validationRules'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  getAddress,
  type Hex,
  hashMessage,
  parseEther,
} from 'viem'
import { toPackedUserOperation } from 'viem/account-abstraction'
import { expect } from 'vitest'

/** Checks that modules, like plugins, comply with the validation rules of bundlers (ERC-7562). */

const nobody = '0x000000000000000000000000000000000000dEaD'

let chain: TestChain
let it: ModularV2TestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createSemiModularAccount(chain)
})

const validation = ({ account, address }: ModularV2TestAccount, operation: Operation) => {
  const args = [toPackedUserOperation(operation), hashOperation(chain, operation), 0n]
  const data = encodeFunctionData({ ...account, functionName: 'validateUserOp', args })
  return traceCall(chain, { from: entryPoint, to: address, data })
}
/** Returns the contracts whose storage was touched, after checking that bundlers allow it. */
function touchedIn(traced: Trace, account: Address): Set<Address> {
  expect([strangersIn(traced, account), traced.banned]).toEqual([[], []])
  return new Set(traced.slots.map(([address]) => getAddress(address)))
}

function everyHook(): Hex[] {
  const inputs = getAbiItem({ abi: allowlistModuleAbi, name: 'updateAllowlist' })
  if (inputs?.type !== 'function') throw new TypeError()
  const list = [toAllowlistInput({ target: nobody, selectors: ['0xa9059cbb'] })]
  const hooks = [
    [modules.AllowlistModule, validationHook, encodeAbiParameters(inputs.inputs, [7, list])],
    [modules.NativeTokenLimitModule, validationHook, encode('uint32,uint256', 7, parseEther('1'))],
    [modules.PaymasterGuardModule, validationHook, encode('uint32,address', 7, nobody)],
    [modules.TimeRangeModule, validationHook, encode('uint32,uint48,uint48', 7, 2_000_000_000, 1)],
    [modules.NativeTokenLimitModule, preHook, '0x'],
  ] as const
  return hooks.map(([module, flags, data]) => concat([toConfig(module, 7, flags), data]))
}
const sponsored = {
  paymaster: nobody,
  paymasterVerificationGasLimit: 1n,
  paymasterPostOpGasLimit: 1n,
  paymasterData: '0x',
} as const
const callData = inContext(execute(nobody, 0n, '0xa9059cbb'))

test('touches the account alone for its owner', async () => {
  const traced = await validation(it, await createOperation(chain, it, execute(nobody)))
  expect(touchedIn(traced, it.address)).toEqual(new Set([it.address]))
})

test('touches only associated storage for a key with every limit', async () => {
  const { sign } = await createSessionKeyV2(chain, it, everyHook())
  const traced = await validation(it, await sign(callData, sponsored))
  const expected = Object.values(modules).filter((each) => each !== modules.WebAuthnValidationModule)
  expect(touchedIn(traced, it.address)).toEqual(new Set([it.address, ...expected]))
})

test('touches only associated storage for a deferred action that installs it', async () => {
  const mine = await createSemiModularAccount(chain)
  const nonce = await readNonce(chain, mine.address, toNonceKey(5, 2))
  const install = installSigner(mine.stranger.address, 5, { hooks: everyHook() })
  const prefix = await encodeDeferred(chain, mine, { nonce, call: install })
  const fields = { signer: mine.stranger, entityId: 5, options: 2, prefix, ...sponsored }
  const traced = await validation(mine, await createOperation(chain, mine, callData, fields))
  expect(touchedIn(traced, mine.address).has(modules.AllowlistModule)).toBe(true)
})

test('touches only associated storage for a passkey', async () => {
  const passkey = await createPasskeyAccount(chain)
  const operation = await createOperation(chain, passkey, execute(nobody), { signature: '0xff' })
  const challenge = hashMessage({ raw: hashOperation(chain, operation) })
  const signature = concat(['0xff', encodeAssertion(passkey.passkey, challenge)])
  const traced = await validation(passkey, { ...operation, signature })
  expect(touchedIn(traced, passkey.address)).toEqual(new Set([passkey.address, modules.WebAuthnValidationModule]))
})

test.each([
  ['createSemiModularAccount', 'getAddressSemiModular', (owner: Address) => [owner, 3n]],
  ['createAccount', 'getAddress', (owner: Address) => [owner, 3n, 1]],
] as const)('touches only associated storage in %s', async (create, get, argsOf) => {
  const args = argsOf((await chain.freshAccount()).address)
  const account = (await it.read.readContract({ ...factory, functionName: get, args })) as Address
  const data = encodeFunctionData({ ...factory, functionName: create, args })
  const traced = await traceCall(chain, { from: entryPoint, to: modularAccountV2.factory, data })
  expect([strangersIn(traced, account), traced.banned]).toEqual([[], []])
})
