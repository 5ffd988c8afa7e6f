import { parseAbi } from 'viem'

/**
 * Functions of SessionKeyPlugin 1.0.1 that clients call. Functions without an `account` argument are called on the
 * account itself.
 */
export const sessionKeyPluginAbi = /* @__PURE__ */ parseAbi([
  'function addSessionKey(address sessionKey, bytes32 tag, bytes[] permissionUpdates)',
  'function executeWithSessionKey((address target, uint256 value, bytes data)[] calls, address sessionKey) returns (bytes[])',
  'function findPredecessor(address account, address sessionKey) view returns (bytes32)',
  'function getAccessControlEntry(address account, address sessionKey, address contractAddress) view returns (bool isOnList, bool checkSelectors)',
  'function getAccessControlType(address account, address sessionKey) view returns (uint8)',
  'function getERC20SpendLimitInfo(address account, address sessionKey, address token) view returns ((bool hasLimit, uint256 limit, uint256 limitUsed, uint48 refreshInterval, uint48 lastUsedTime))',
  'function getGasSpendLimit(address account, address sessionKey) view returns ((bool hasLimit, uint256 limit, uint256 limitUsed, uint48 refreshInterval, uint48 lastUsedTime) info, bool shouldReset)',
  'function getKeyTimeRange(address account, address sessionKey) view returns (uint48 validAfter, uint48 validUntil)',
  'function getNativeTokenSpendLimitInfo(address account, address sessionKey) view returns ((bool hasLimit, uint256 limit, uint256 limitUsed, uint48 refreshInterval, uint48 lastUsedTime) info)',
  'function getRequiredPaymaster(address account, address sessionKey) view returns (address)',
  'function isSelectorOnAccessControlList(address account, address sessionKey, address contractAddress, bytes4 selector) view returns (bool isOnList)',
  'function isSessionKeyOf(address account, address sessionKey) view returns (bool)',
  'function removeSessionKey(address sessionKey, bytes32 predecessor)',
  'function rotateSessionKey(address oldSessionKey, bytes32 predecessor, address newSessionKey)',
  'function sessionKeysOf(address account) view returns (address[])',
  'function updateKeyPermissions(address sessionKey, bytes[] updates)',
])
