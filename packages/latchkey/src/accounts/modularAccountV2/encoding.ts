import { type Address, concat, encodeFunctionData, type Hex, isAddressEqual, numberToHex, parseAbi } from 'viem'
import { requireUint } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { WholeCall } from '../contract.ts'

/** Functions of a Modular Account v2 that clients call (ERC-6900 v0.8). */
export const modularAccountV2Abi = /* @__PURE__ */ parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'struct ValidationDataView { uint8 validationFlags; bytes25[] validationHooks; bytes25[] executionHooks; bytes4[] selectors; }',
  'function execute(address target, uint256 value, bytes data) payable returns (bytes)',
  'function executeBatch(Call[] calls) payable returns (bytes[])',
  'function installValidation(bytes25 validationConfig, bytes4[] selectors, bytes installData, bytes[] hooks)',
  'function uninstallValidation(bytes24 validationFunction, bytes uninstallData, bytes[] hookUninstallData)',
  'function updateFallbackSignerData(address fallbackSigner, bool isDisabled)',
  'function initialize(address initialSigner)',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
  'struct ExecutionDataView { address module; bool skipRuntimeValidation; bool allowGlobalValidation; bytes25[] executionHooks; }',
  'function getExecutionData(bytes4 selector) view returns (ExecutionDataView)',
  'function getValidationData(bytes24 validationFunction) view returns (ValidationDataView)',
  'function getFallbackSignerData() view returns (address, bool)',
])

/** Selector of `executeUserOp`. It precedes the call data if the validation has execution hooks. */
const executeUserOp = '0x8dd7712f'

/** Selectors of `execute` and `executeBatch`. */
const executions: readonly Hex[] = ['0xb61d27f6', '0x34fcd5be']

/**
 * Encodes the call data of a Modular Account v2: `execute` for one call, `executeBatch` for several calls. A single
 * call to the account itself becomes the call data without `execute`, because the account would refuse `execute`.
 *
 * @throws `USER_OPERATION_INVALID` for calls to the account itself that it would revert.
 */
export function encodeModularV2Calls(calls: readonly [WholeCall, ...WholeCall[]], account: Address): Hex {
  const abi = modularAccountV2Abi
  const [{ to, value, data }, ...more] = calls
  for (const call of calls) if (isAddressEqual(call.to, account)) requireOwnFunction(call, more.length > 0)
  if (more.length === 0) {
    if (isAddressEqual(to, account)) return data
    return encodeFunctionData({ abi, functionName: 'execute', args: [to, value, data] })
  }
  const args = [calls.map((call) => ({ target: call.to, value: call.value, data: call.data }))] as const
  return encodeFunctionData({ abi, functionName: 'executeBatch', args })
}

function requireOwnFunction({ value, data }: WholeCall, isInBatch: boolean): void {
  const isNested = isInBatch && executions.includes(selectorOf(data))
  if (data.length >= 10 && (isInBatch || value === 0n) && !isNested) return
  throw new BaseError('A Modular Account v2 cannot make this call of itself.', {
    code: 'USER_OPERATION_INVALID',
    metaMessages: [
      isNested
        ? 'Put the inner calls of execute and executeBatch into the batch itself.'
        : 'It can call its own functions, without value. It cannot send anything to its own address.',
    ],
  })
}

const selectorOf = (data: Hex) => data.slice(0, 10).toLowerCase() as Hex

/** Adds `executeUserOp` before call data, unless it is already there. */
export function toHookedCallData(callData: Hex): Hex {
  return selectorOf(callData) === executeUserOp ? callData : concat([executeUserOp, callData])
}

/** Encodes an entity id as 4 bytes. @throws `ARGUMENT_INVALID`. */
export function encodeEntityId(entityId: number): Hex {
  return numberToHex(requireEntityId(entityId), { size: 4 })
}

/** Checks that an entity id fits 32 bits, and returns it as a bigint. @throws `ARGUMENT_INVALID`. */
export function requireEntityId(entityId: number): bigint {
  const isWhole = Number.isSafeInteger(entityId)
  return requireUint('The entity id', isWhole ? BigInt(entityId) : -1n, 32)
}
