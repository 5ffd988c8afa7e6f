import { type Abi, parseAbi } from 'viem'

/** Errors of the Solidity compiler and of tokens (ERC-6093 and older names). */
const common = [
  'Error(string message)',
  'Panic(uint256 code)',
  'ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'InsufficientBalance(address owner, uint256 balance, uint256 needed)',
  'InsufficientAllowance(address owner, address spender, uint256 allowance, uint256 needed)',
]

/** Errors of the EntryPoints (ERC-4337). */
const entryPoints = [
  'FailedOp(uint256 opIndex, string reason)',
  'FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
  'PostOpReverted(bytes returnData)',
  'ReentrancyGuardReentrantCall()',
  'SignatureValidationFailed(address aggregator)',
]

/** Errors of single-owner and multi-owner light accounts, and of the factories of all accounts. */
const lightAccounts = [
  'AddressEmptyCode(address target)',
  'AddressInsufficientBalance(address account)',
  'ArrayLengthMismatch()',
  'ECDSAInvalidSignature()',
  'ECDSAInvalidSignatureLength(uint256 length)',
  'ECDSAInvalidSignatureS(bytes32 s)',
  'EmptyOwnersNotAllowed()',
  'FailedInnerCall()',
  'InvalidAction()',
  'InvalidEntryPoint(address entryPoint)',
  'InvalidInitialization()',
  'InvalidOwner()',
  'InvalidOwner(address owner)',
  'InvalidOwners()',
  'InvalidSignatureType()',
  'NotAuthorized()',
  'NotAuthorized(address caller)',
  'NotInitializing()',
  'OwnableInvalidOwner(address owner)',
  'OwnableUnauthorizedAccount(address account)',
  'OwnerDoesNotExist(address owner)',
  'OwnersArrayEmpty()',
  'OwnersLimitExceeded()',
  'SafeERC20FailedOperation(address token)',
  'TransferFailed()',
  'UnauthorizedCallContext()',
  'UpgradeFailed()',
  'ZeroAddressNotAllowed()',
]

/** Errors of modular accounts (ERC-6900 v0.7) and their plugins. */
const modularAccounts = [
  'AlreadyInitialized()',
  'AlreadyInitializing()',
  'AlwaysDenyRule()',
  'DuplicateHookLimitExceeded(bytes4 selector, bytes21 hook)',
  'DuplicatePreRuntimeValidationHookLimitExceeded(bytes4 selector, bytes21 hook)',
  'DuplicatePreUserOpValidationHookLimitExceeded(bytes4 selector, bytes21 hook)',
  'ERC20SpendLimitExceeded(address account, address sessionKey, address token)',
  'Erc4337FunctionNotAllowed(bytes4 selector)',
  'ExecFromPluginExternalNotPermitted(address plugin, address target, uint256 value, bytes data)',
  'ExecFromPluginNotPermitted(address plugin, bytes4 selector)',
  'ExecutionFunctionAlreadySet(bytes4 selector)',
  'IPluginFunctionNotAllowed(bytes4 selector)',
  'InterfaceNotAllowed()',
  'InvalidDependenciesProvided()',
  'InvalidPermissionsUpdate(bytes4 updateSelector)',
  'InvalidPluginManifest()',
  'InvalidSessionKey(address sessionKey)',
  'InvalidSignature(address sessionKey)',
  'InvalidToken(address token)',
  'LengthMismatch()',
  'MissingPluginDependency(address dependency)',
  'NativeFunctionNotAllowed(bytes4 selector)',
  'NativeTokenSpendLimitExceeded(address account, address sessionKey)',
  'NativeTokenSpendingNotPermitted(address plugin)',
  'NotContractCaller(address caller)',
  'NotImplemented(bytes4 selector, uint8 functionId)',
  'NotInitialized()',
  'NullFunctionReference()',
  'PermissionsCheckFailed()',
  'PluginAlreadyInstalled(address plugin)',
  'PluginCallDenied(address plugin)',
  'PluginDependencyViolation(address plugin)',
  'PluginInstallCallbackFailed(address plugin, bytes revertReason)',
  'PluginInterfaceNotSupported(address plugin)',
  'PluginNotInstalled(address plugin)',
  'PluginUninstallCallbackFailed(address plugin, bytes revertReason)',
  'PostExecHookReverted(address plugin, uint8 functionId, bytes revertReason)',
  'PreExecHookReverted(address plugin, uint8 functionId, bytes revertReason)',
  'PreRuntimeValidationHookFailed(address plugin, uint8 functionId, bytes revertReason)',
  'RuntimeValidationFunctionAlreadySet(bytes4 selector, bytes21 validationFunction)',
  'RuntimeValidationFunctionMissing(bytes4 selector)',
  'RuntimeValidationFunctionReverted(address plugin, uint8 functionId, bytes revertReason)',
  'SessionKeyNotFound(address sessionKey)',
  'UnexpectedAggregator(address plugin, uint8 functionId, address aggregator)',
  'UnrecognizedFunction(bytes4 selector)',
  'UserOpNotFromEntryPoint()',
  'UserOpValidationFunctionAlreadySet(bytes4 selector, bytes21 validationFunction)',
  'UserOpValidationFunctionMissing(bytes4 selector)',
]

/** Errors of contracts whose code is loaded on demand. */
const added = new Set<string>()

/** Adds errors of contracts whose code is loaded on demand. `signatures` omit `error`. */
export function addContractErrors(signatures: readonly string[]): void {
  for (const signature of signatures) added.add(signature)
}

/** Returns the known errors of an account's calls: errors of the account's contracts and of common tokens. */
export function contractErrorsAbi(): Abi {
  const signatures = [...common, ...entryPoints, ...lightAccounts, ...modularAccounts, ...added]
  return parseAbi(signatures.map((signature) => `error ${signature}`))
}
