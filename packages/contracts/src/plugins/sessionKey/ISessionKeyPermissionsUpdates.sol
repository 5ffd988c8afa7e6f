// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Encodes permissions of a key: each change is the calldata of one of these functions. No contract implements them.
interface ISessionKeyPermissionsUpdates {
    /// Sets the kind of list. 0: only what is listed, 1: all but what is listed, 2: everything. New keys have 0 and an
    /// empty list.
    function setAccessListType(uint8 contractAccessControlType) external;

    /// Lists a contract. With `checkSelectors` the list of its functions counts, else the contract as a whole.
    function updateAccessListAddressEntry(address contractAddress, bool isOnList, bool checkSelectors) external;

    function updateAccessListFunctionEntry(address contractAddress, bytes4 selector, bool isOnList) external;

    /// Sets the validity in seconds since 1970; `validUntil` 0: forever.
    function updateTimeRange(uint48 validAfter, uint48 validUntil) external;

    /// Limits native spending in wei, over each `refreshInterval` seconds; interval 0: over the key's life.
    /// type(uint256).max: no limit. New keys have the limit 0. Each of the three limits keeps what was spent when it is
    /// set again, until it is lifted.
    function setNativeTokenSpendLimit(uint256 spendLimit, uint48 refreshInterval) external;

    /// Limits a token, in its smallest unit. A token with a limit can only be transferred and approved. New keys have
    /// none.
    function setERC20SpendLimit(address token, uint256 spendLimit, uint48 refreshInterval) external;

    /// Limits the maximum cost of operations, in wei. A limited key's operations use its address as the nonce key.
    function setGasSpendLimit(uint256 spendLimit, uint48 refreshInterval) external;

    /// Sets the required paymaster. Zero: none is required.
    function setRequiredPaymaster(address requiredPaymaster) external;
}
