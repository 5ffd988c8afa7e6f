// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AssociatedAddresses} from "../AssociatedAddresses.sol";
import {SessionKeyStorage} from "./SessionKeyStorage.sol";
import {SpendLimit} from "./SpendLimits.sol";

/// Reads the keys of an account and their permissions. Reads of permissions revert for other keys.
abstract contract SessionKeyLoupe is SessionKeyStorage {
    error SessionKeyNotFound(address sessionKey);

    struct SpendLimitInfo {
        bool hasLimit;
        uint256 limit;
        uint256 limitUsed;
        uint48 refreshInterval;
        uint48 lastUsedTime;
    }

    /// Lists the keys, newest first.
    function sessionKeysOf(address account) public view returns (address[] memory) {
        return AssociatedAddresses.values(KEYS, account);
    }

    function isSessionKeyOf(address account, address sessionKey) external view returns (bool) {
        return _numberOf(account, sessionKey) != 0;
    }

    /// Returns the argument of `removeSessionKey` and `rotateSessionKey`: the previous key in the first 20 bytes, or 1
    /// for the first.
    function findPredecessor(address account, address sessionKey) external view returns (bytes32) {
        address predecessor = AssociatedAddresses.predecessorOf(KEYS, account, sessionKey);
        if (predecessor == address(0)) revert SessionKeyNotFound(sessionKey);
        return predecessor == AssociatedAddresses.ANCHOR ? bytes32(uint256(1)) : bytes32(bytes20(predecessor));
    }

    function getAccessControlType(address account, address sessionKey) external view returns (AccessType) {
        return _keyOf(account, sessionKey).accessType;
    }

    function getAccessControlEntry(address account, address sessionKey, address contractAddress)
        external
        view
        returns (bool isOnList, bool checkSelectors)
    {
        TargetData storage target = _target(account, _keyNumber(account, sessionKey), contractAddress);
        return (target.isOnList, target.checkSelectors);
    }

    function isSelectorOnAccessControlList(
        address account,
        address sessionKey,
        address contractAddress,
        bytes4 selector
    ) external view returns (bool isOnList) {
        return _isFunctionOnList(account, _keyNumber(account, sessionKey), contractAddress, selector);
    }

    function getKeyTimeRange(address account, address sessionKey)
        external
        view
        returns (uint48 validAfter, uint48 validUntil)
    {
        KeyData storage key = _keyOf(account, sessionKey);
        return (key.validAfter, key.validUntil);
    }

    function getNativeTokenSpendLimitInfo(address account, address sessionKey)
        external
        view
        returns (SpendLimitInfo memory info)
    {
        KeyData storage key = _keyOf(account, sessionKey);
        return _infoOf(!key.isNativeUnlimited, key.native);
    }

    /// Returns the gas limit. `shouldReset`: an operation began a new interval whose time is not stored yet.
    function getGasSpendLimit(address account, address sessionKey)
        external
        view
        returns (SpendLimitInfo memory info, bool shouldReset)
    {
        KeyData storage key = _keyOf(account, sessionKey);
        return (_infoOf(key.hasGasLimit, key.gas), key.isGasIntervalNew);
    }

    function getERC20SpendLimitInfo(address account, address sessionKey, address token)
        external
        view
        returns (SpendLimitInfo memory)
    {
        TargetData storage target = _target(account, _keyNumber(account, sessionKey), token);
        return _infoOf(target.hasTokenLimit, target.token);
    }

    /// Returns the required paymaster. Zero: none is required.
    function getRequiredPaymaster(address account, address sessionKey) external view returns (address) {
        return _keyOf(account, sessionKey).requiredPaymaster;
    }

    function _keyOf(address account, address sessionKey) private view returns (KeyData storage) {
        return _key(account, _keyNumber(account, sessionKey));
    }

    /// Returns a limit. All zero if there is none.
    function _infoOf(bool hasLimit, SpendLimit storage limit) private view returns (SpendLimitInfo memory info) {
        if (hasLimit) info = SpendLimitInfo(true, limit.limit, limit.used, limit.refreshInterval, limit.lastUsed);
    }
}
