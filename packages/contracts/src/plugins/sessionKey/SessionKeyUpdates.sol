// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISessionKeyPermissionsUpdates as Updates} from "./ISessionKeyPermissionsUpdates.sol";
import {SessionKeyStorage} from "./SessionKeyStorage.sol";
import {SpendLimit, SpendLimits} from "./SpendLimits.sol";

/// Changes the permissions of a key, one encoded change after the other.
abstract contract SessionKeyUpdates is SessionKeyStorage {
    using SpendLimits for SpendLimit;

    error InvalidPermissionsUpdate(bytes4 updateSelector);
    error InvalidToken(address token);

    event PermissionsUpdated(address indexed account, address indexed sessionKey, bytes[] updates);

    function _update(address sessionKey, uint48 number, bytes[] memory updates) internal {
        for (uint256 i; i < updates.length; ++i) {
            _apply(number, bytes4(updates[i]), _rest(updates[i]));
        }
        emit PermissionsUpdated(msg.sender, sessionKey, updates);
    }

    function _apply(uint48 number, bytes4 selector, bytes memory data) private {
        KeyData storage key = _key(msg.sender, number);
        if (selector == Updates.setAccessListType.selector) {
            uint8 accessType = abi.decode(data, (uint8));
            if (accessType > uint8(type(AccessType).max)) revert InvalidPermissionsUpdate(selector);
            key.accessType = AccessType(accessType);
        } else if (selector == Updates.updateTimeRange.selector) {
            (key.validAfter, key.validUntil) = abi.decode(data, (uint48, uint48));
        } else if (selector == Updates.setRequiredPaymaster.selector) {
            address paymaster = abi.decode(data, (address));
            (key.hasRequiredPaymaster, key.requiredPaymaster) = (paymaster != address(0), paymaster);
        } else if (selector == Updates.setNativeTokenSpendLimit.selector) {
            key.isNativeUnlimited = !_setLimit(key.native, data);
        } else if (selector == Updates.setGasSpendLimit.selector) {
            key.isGasIntervalNew = false;
            key.hasGasLimit = _setLimit(key.gas, data);
        } else {
            _applyToTarget(number, selector, data);
        }
    }

    function _applyToTarget(uint48 number, bytes4 selector, bytes memory data) private {
        if (selector == Updates.updateAccessListAddressEntry.selector) {
            (address contractAddress, bool isOnList, bool checkSelectors) = abi.decode(data, (address, bool, bool));
            TargetData storage target = _target(msg.sender, number, contractAddress);
            (target.isOnList, target.checkSelectors) = (isOnList, checkSelectors);
        } else if (selector == Updates.updateAccessListFunctionEntry.selector) {
            (address contractAddress, bytes4 listed, bool isOnList) = abi.decode(data, (address, bytes4, bool));
            _setFunctionOnList(msg.sender, number, contractAddress, listed, isOnList);
        } else if (selector == Updates.setERC20SpendLimit.selector) {
            (address token, uint256 limit, uint48 refreshInterval) = abi.decode(data, (address, uint256, uint48));
            if (token == address(0)) revert InvalidToken(token);
            TargetData storage target = _target(msg.sender, number, token);
            target.hasTokenLimit = limit != type(uint256).max;
            target.token.set(limit, refreshInterval);
        } else {
            revert InvalidPermissionsUpdate(selector);
        }
    }

    /// Sets a limit. Returns whether there is one now.
    function _setLimit(SpendLimit storage target, bytes memory data) private returns (bool) {
        (uint256 limit, uint48 refreshInterval) = abi.decode(data, (uint256, uint48));
        target.set(limit, refreshInterval);
        return limit != type(uint256).max;
    }

    /// Returns the data behind the selector.
    function _rest(bytes memory update) private pure returns (bytes memory rest) {
        rest = new bytes(update.length < 4 ? 0 : update.length - 4);
        for (uint256 i; i < rest.length; i += 32) {
            assembly ("memory-safe") {
                mstore(add(add(rest, 0x20), i), mload(add(add(update, 0x24), i)))
            }
        }
    }
}
