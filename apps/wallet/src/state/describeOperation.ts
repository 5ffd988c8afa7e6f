import type { OperationRecord } from 'latchkey'
import { type Address, decodeFunctionData, type Hex, isAddressEqual, parseAbi } from 'viem'
import { formatAmount } from '../amounts.ts'
import { shortHex } from '../format.ts'
import { demoAbi } from './demoToken.ts'

const accountAbi = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch(address[] targets, uint256[] values, bytes[] calls)',
  'function createSigner(uint256 x, uint256 y, uint176 verifiers)',
  'function installValidation(bytes25 config, bytes4[] selectors, bytes installData, bytes[] hooks)',
  'function uninstallValidation(bytes24 validation, bytes uninstallData, bytes[] hookData)',
  'function updateFallbackSignerData(address signer, bool isDisabled)',
  'function executeWithSessionKey((address target, uint256 value, bytes data)[] calls, address sessionKey)',
  'function transferOwnership(address newOwner)',
  'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
  'function installPlugin(address plugin, bytes32 manifestHash, bytes initData, bytes21[] dependencies)',
  'function uninstallPlugin(address plugin, bytes config, bytes uninstallData)',
  'function addSessionKey(address key, bytes32 tag, bytes[] permissions)',
  'function removeSessionKey(address key, bytes32 predecessor)',
])

const unknown = 'Account call'

/** Describes an operation for a list. */
export function describeOperation(uo: OperationRecord['uo'], demo: Address): string {
  if (typeof uo === 'string') return describeAccountCall(uo, demo)
  const calls = 'target' in uo ? [uo] : uo
  const [call] = calls
  return calls.length === 1 && call ? describeCall(call, demo) : `Batch of ${calls.length} calls`
}

function describeCall({ target, data = '0x' }: { target: Address; data?: Hex }, demo: Address): string {
  if (!isAddressEqual(target, demo)) return `Call to ${shortHex(target)}`
  try {
    const { functionName, args } = decodeFunctionData({ abi: demoAbi, data })
    if (functionName === 'mint') return `Mint ${formatAmount(args[1])} DEMO`
    if (functionName === 'transfer') return `Send ${formatAmount(args[1])} DEMO to ${shortHex(args[0])}`
  } catch {
    // Not a function of this token.
  }
  return 'Call to DEMO'
}

function describeAccountCall(data: Hex, demo: Address): string {
  try {
    const { functionName, args } = decodeFunctionData({ abi: accountAbi, data })
    switch (functionName) {
      case 'execute':
        return describeAccountCall(args[2], demo)
      case 'executeBatch':
        // Adding a passkey requires two calls. The last one contains the owner.
        return describeAccountCall(args[2].at(-1) ?? '0x', demo)
      case 'createSigner':
        return 'Prepare a passkey'
      case 'installValidation':
        return 'Add a key'
      case 'uninstallValidation':
        return 'Remove a key'
      case 'updateFallbackSignerData':
        return args[1] ? 'Remove the first owner' : `Transfer ownership to ${shortHex(args[0])}`
      case 'executeWithSessionKey':
        return `Session key: ${describeOperation(args[0], demo)}`
      case 'transferOwnership':
        return `Transfer ownership to ${shortHex(args[0])}`
      case 'updateOwners':
        return describeOwners(...args)
      case 'installPlugin':
        return 'Install a plugin'
      case 'uninstallPlugin':
        return 'Uninstall a plugin'
      case 'addSessionKey':
        return 'Allow a session key'
      case 'removeSessionKey':
        return 'Revoke a session key'
    }
  } catch {
    return unknown
  }
}

function describeOwners(added: readonly Address[], removed: readonly Address[]): string {
  const [one] = added.length > 0 ? added : removed
  if (!one) return unknown
  if (added.length > 0 && removed.length > 0) return `Transfer ownership to ${shortHex(one)}`
  return `${added.length > 0 ? 'Add' : 'Remove'} the owner ${shortHex(one)}`
}
