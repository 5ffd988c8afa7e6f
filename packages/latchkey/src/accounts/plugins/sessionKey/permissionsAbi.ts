import { parseAbi } from 'viem'

/** Updates of a session key's permissions: call data that no contract is called with, only read. */
export const permissionsAbi = /* @__PURE__ */ parseAbi([
  'function setAccessListType(uint8 contractAccessControlType)',
  'function setERC20SpendLimit(address token, uint256 spendLimit, uint48 refreshInterval)',
  'function setGasSpendLimit(uint256 spendLimit, uint48 refreshInterval)',
  'function setNativeTokenSpendLimit(uint256 spendLimit, uint48 refreshInterval)',
  'function setRequiredPaymaster(address requiredPaymaster)',
  'function updateAccessListAddressEntry(address contractAddress, bool isOnList, bool checkSelectors)',
  'function updateAccessListFunctionEntry(address contractAddress, bytes4 selector, bool isOnList)',
  'function updateTimeRange(uint48 validAfter, uint48 validUntil)',
])
