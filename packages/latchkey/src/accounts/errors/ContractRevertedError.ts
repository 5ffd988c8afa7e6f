import { BaseError } from '../../core/errors/BaseError.ts'
import { decodeRevert, formatRevert } from './decodeRevert.ts'
import { RpcError, readRevertData, toRpcError } from './RpcError.ts'

const hints: { readonly [errorName: string]: string } = {
  EmptyOwnersNotAllowed: 'Leave the account at least one owner.',
  InvalidOwner: 'An owner is not zero, not the account itself, and not one already.',
  InvalidPluginManifest: 'The plugin answers another manifest than the one named: read it again.',
  InvalidSignatureType: 'A signature starts with 0x00 for a key, 0x01 or 0x02 for a contract.',
  MissingPluginDependency: 'Install the plugin it builds on first.',
  NotAuthorized: 'Only an owner may do this, through the entry point or directly.',
  OwnerDoesNotExist: 'Read the owners of the account again: the one to remove is none of them.',
  OwnersArrayEmpty: 'Name at least one owner.',
  OwnersLimitExceeded: 'Name 100 owners at most.',
  PermissionsCheckFailed: 'The permissions of the session key refuse it: `getSessionKeyPermissions` lists them.',
  PluginAlreadyInstalled: 'Uninstall the plugin before it is installed anew.',
  PluginDependencyViolation: 'Uninstall the plugins that build on it first.',
  PluginNotInstalled: '`getInstalledPlugins` lists those there are.',
  PluginUninstallCallbackFailed: 'Pass `forceUninstall` to uninstall the plugin all the same.',
  UpgradeFailed: 'The new implementation must be a contract that accounts can be upgraded to (ERC-1822).',
  ZeroAddressNotAllowed: 'Name an address that is not zero.',
}

export declare namespace ContractRevertedError {
  type Options = {
    /** Failed action, as a sentence. @default a call of the operation failed */
    action?: string | undefined
    details?: string | undefined
  }
}

/** A contract reverted. `errorName` and `args` describe the contract's error, if it could be decoded. */
export class ContractRevertedError extends BaseError {
  readonly errorName: string | undefined
  readonly args: readonly unknown[]
  /** Revert data as hex or text, as received. */
  readonly data: string | undefined

  constructor(data: string | undefined, { action, details }: ContractRevertedError.Options = {}) {
    const found = decodeRevert(data)
    const reason = formatRevert(data)
    const hint = found && Object.hasOwn(hints, found.errorName) ? hints[found.errorName] : undefined
    super(`A call of the operation would revert${reason ? `: ${reason}` : '.'}`, {
      code: 'CONTRACT_REVERTED',
      metaMessages: [action, hint].filter((line) => line !== undefined),
      details,
      name: 'ContractRevertedError',
    })
    this.errorName = found?.errorName
    this.args = found?.args ?? []
    this.data = data
  }
}

/**
 * Converts the error of a failed call to a `ContractRevertedError`. If no contract reverted, converts it with
 * `toRpcError`.
 */
export function toContractError(error: unknown, options: toRpcError.Options): BaseError {
  const rpc = toRpcError(error, options)
  if (rpc === error || rpc.code !== 'RPC_FAILED' || !/revert/i.test(rpc.message)) return rpc
  // Bundlers add the revert data to the text. An account's revert reason follows the EntryPoint's code.
  const shortMessage = rpc instanceof RpcError ? rpc.text : rpc.shortMessage
  const data =
    readRevertData(error) ??
    /\b0x(?:[0-9a-f]{2}){4,}\b/i.exec(shortMessage)?.[0] ??
    /\bAA\d\d reverted: (.+)/.exec(shortMessage)?.[1]
  return new ContractRevertedError(data, { action: options.action, details: shortMessage })
}
