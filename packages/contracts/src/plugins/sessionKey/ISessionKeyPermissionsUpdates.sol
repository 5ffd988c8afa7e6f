// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The encoding of a key's permissions: each change is the calldata of one of these functions. No contract implements
/// them.
interface ISessionKeyPermissionsUpdates {
    /// 0: only what is on the list, 1: all but what is on the list, 2: everything. New keys have 0 and an empty list.
    function setAccessListType(uint8 contractAccessControlType) external;

    /// With `checkSelectors` the list of the contract's functions counts, else the contract as a whole.
    function updateAccessListAddressEntry(address contractAddress, bool isOnList, bool checkSelectors) external;

    function updateAccessListFunctionEntry(address contractAddress, bytes4 selector, bool isOnList) external;

    /// In seconds since 1970; `validUntil` 0: for ever.
    function updateTimeRange(uint48 validAfter, uint48 validUntil) external;

    /// In wei, over each `refreshInterval` seconds; interval 0: over the key's life. type(uint256).max: no limit. New
    /// keys have the limit 0. Each of the three limits keeps what was spent when it is set again, until it is lifted.
    function setNativeTokenSpendLimit(uint256 spendLimit, uint48 refreshInterval) external;

    /// In the token's smallest unit. A token with a limit can only be transferred and approved. New keys have none.
    function setERC20SpendLimit(address token, uint256 spendLimit, uint48 refreshInterval) external;

    /// In wei, over what operations may cost at most. A limited key's operations take its address for nonce key.
    function setGasSpendLimit(uint256 spendLimit, uint48 refreshInterval) external;

    /// Zero: none is required.
    function setRequiredPaymaster(address requiredPaymaster) external;
}
