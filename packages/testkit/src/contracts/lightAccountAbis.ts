import { type Abi, parseAbi } from 'viem'

/** Published ABIs: items that all versions have, followed by those of each version. */

const account = [
  'error ArrayLengthMismatch()',
  'error InvalidInitialization()',
  'error InvalidOwner(address owner)',
  'error NotAuthorized(address caller)',
  'error NotInitializing()',
  'event Initialized(uint64 version)',
  'event Upgraded(address indexed implementation)',
  'function addDeposit() payable',
  'function entryPoint() view returns (address)',
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, bytes[] func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
  'function getDeposit() view returns (uint256)',
  'function getNonce() view returns (uint256)',
  'function onERC1155BatchReceived(address, address, uint256[], uint256[], bytes) pure returns (bytes4)',
  'function onERC1155Received(address, address, uint256, uint256, bytes) pure returns (bytes4)',
  'function onERC721Received(address, address, uint256, bytes) pure returns (bytes4)',
  'function proxiableUUID() view returns (bytes32)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
  'function withdrawDepositTo(address withdrawAddress, uint256 amount)',
  'receive() external payable',
] as const

const singleOwner = [
  ...account,
  'event LightAccountInitialized(address indexed entryPoint, address indexed owner)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'function owner() view returns (address)',
  'function transferOwnership(address newOwner)',
] as const

const bareV1 = [
  ...singleOwner,
  'constructor(address anEntryPoint)',
  'event AdminChanged(address previousAdmin, address newAdmin)',
  'event BeaconUpgraded(address indexed beacon)',
  'function initialize(address anOwner)',
  'function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)',
  'function tokensReceived(address, address, address, uint256, bytes, bytes) pure',
  'function upgradeTo(address newImplementation)',
  'function validateUserOp((address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature) userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256 validationData)',
] as const

const v2 = [
  'constructor(address entryPoint_)',
  'error ECDSAInvalidSignature()',
  'error ECDSAInvalidSignatureLength(uint256 length)',
  'error ECDSAInvalidSignatureS(bytes32 s)',
  'error InvalidSignatureType()',
  'error UnauthorizedCallContext()',
  'error UpgradeFailed()',
  'error ZeroAddressNotAllowed()',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  // In the deployed contract, but not in the published ABI.
  'function getMessageHash(bytes message) view returns (bytes32)',
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4 result)',
  'function validateUserOp((address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature) userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256 validationData)',
] as const

const factoryV2 = [
  'constructor(address owner, address entryPoint)',
  'error AddressEmptyCode(address target)',
  'error AddressInsufficientBalance(address account)',
  'error FailedInnerCall()',
  'error InvalidAction()',
  'error InvalidEntryPoint(address entryPoint)',
  'error OwnableInvalidOwner(address owner)',
  'error OwnableUnauthorizedAccount(address account)',
  'error SafeERC20FailedOperation(address token)',
  'error TransferFailed()',
  'error ZeroAddressNotAllowed()',
  'event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'function ACCOUNT_IMPLEMENTATION() view returns (address)',
  'function ENTRY_POINT() view returns (address)',
  'function acceptOwnership()',
  'function addStake(uint32 unstakeDelay, uint256 amount) payable',
  'function owner() view returns (address)',
  'function pendingOwner() view returns (address)',
  'function renounceOwnership() view',
  'function transferOwnership(address newOwner)',
  'function unlockStake()',
  'function withdraw(address to, address token, uint256 amount)',
  'function withdrawStake(address to)',
  'receive() external payable',
] as const

/** ABI of v1.0.1, which lacks the functions for signed messages. */
export const lightAccountBareV1Abi: Abi = parseAbi(bareV1)

export const lightAccountV1Abi: Abi = parseAbi([
  ...bareV1,
  'function domainSeparator() view returns (bytes32)',
  'function encodeMessageData(bytes message) view returns (bytes)',
  'function getMessageHash(bytes message) view returns (bytes32)',
])

export const lightAccountV2Abi: Abi = parseAbi([...singleOwner, ...v2, 'function initialize(address owner_)'])

export const multiOwnerLightAccountAbi: Abi = parseAbi([
  ...account,
  ...v2,
  'error EmptyOwnersNotAllowed()',
  'error OwnerDoesNotExist(address owner)',
  'event LightAccountInitialized(address indexed entryPoint, address[] owners)',
  'event OwnersUpdated(address[] addedOwners, address[] removedOwners)',
  'function initialize(address[] owners_)',
  'function owners() view returns (address[])',
  'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
])

export const lightAccountFactoryV1Abi: Abi = parseAbi([
  'constructor(address _entryPoint)',
  'function accountImplementation() view returns (address)',
  'function createAccount(address owner, uint256 salt) returns (address ret)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
])

export const lightAccountFactoryV2Abi: Abi = parseAbi([
  ...factoryV2,
  'function createAccount(address owner, uint256 salt) returns (address account)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
])

export const multiOwnerLightAccountFactoryAbi: Abi = parseAbi([
  ...factoryV2,
  'error InvalidOwners()',
  'error OwnersArrayEmpty()',
  'error OwnersLimitExceeded()',
  'function createAccount(address[] owners, uint256 salt) returns (address account)',
  'function createAccountSingle(address owner, uint256 salt) returns (address account)',
  'function getAddress(address[] owners, uint256 salt) view returns (address)',
])
