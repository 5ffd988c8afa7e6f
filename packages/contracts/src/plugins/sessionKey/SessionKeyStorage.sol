// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SpendLimit} from "./SpendLimits.sol";

/// Stores an account's session keys. All of it is storage associated with the account, as AssociatedAddresses explains:
/// keccak256(account, 32 bytes) and the few slots behind.
///
/// Every key of an account has a number, counted up from 1 and never reused; permissions are stored under the number.
/// So they follow a rotated key, and are out of reach, without a write, once it is removed.
abstract contract SessionKeyStorage {
    error InvalidSessionKey(address sessionKey);

    enum AccessType {
        ALLOWLIST,
        DENYLIST,
        ALLOW_ALL_ACCESS
    }

    struct KeyData {
        AccessType accessType;
        uint48 validAfter;
        uint48 validUntil;
        /// Not "has a limit", because a new key may spend nothing.
        bool isNativeUnlimited;
        bool hasGasLimit;
        /// An operation began a new interval of the gas limit whose time is not stored yet.
        bool isGasIntervalNew;
        bool hasRequiredPaymaster;
        address requiredPaymaster;
        SpendLimit native;
        SpendLimit gas;
    }

    struct TargetData {
        bool isOnList;
        bool checkSelectors;
        bool hasTokenLimit;
        SpendLimit token;
    }

    bytes12 internal constant KEYS = "session keys";

    // Kinds of slots: the second two bytes of what is hashed with the account.
    uint256 private constant LAST_NUMBER = 1;
    uint256 private constant NUMBER = 2;
    uint256 private constant KEY = 3;
    uint256 private constant TARGET = 4;
    uint256 private constant FUNCTION = 5;

    /// Returns the number of a key. Reverts if the account has no such key.
    function _keyNumber(address account, address sessionKey) internal view returns (uint48 number) {
        number = _numberOf(account, sessionKey);
        if (number == 0) revert InvalidSessionKey(sessionKey);
    }

    /// Returns the number of a key. Zero if the account has no such key.
    function _numberOf(address account, address sessionKey) internal view returns (uint48 found) {
        bytes32 slot = _slot(account, 0, NUMBER, 0, sessionKey);
        assembly ("memory-safe") {
            found := sload(slot)
        }
    }

    function _setNumber(address account, address sessionKey, uint48 given) internal {
        bytes32 slot = _slot(account, 0, NUMBER, 0, sessionKey);
        assembly ("memory-safe") {
            sstore(slot, given)
        }
    }

    function _takeNumber(address account) internal returns (uint48 taken) {
        bytes32 slot = _slot(account, 0, LAST_NUMBER, 0, address(0));
        assembly ("memory-safe") {
            taken := add(sload(slot), 1)
            sstore(slot, taken)
        }
    }

    function _key(address account, uint48 number) internal pure returns (KeyData storage data) {
        bytes32 slot = _slot(account, number, KEY, 0, address(0));
        assembly ("memory-safe") {
            data.slot := slot
        }
    }

    function _target(address account, uint48 number, address target) internal pure returns (TargetData storage data) {
        bytes32 slot = _slot(account, number, TARGET, 0, target);
        assembly ("memory-safe") {
            data.slot := slot
        }
    }

    function _isFunctionOnList(address account, uint48 number, address target, bytes4 selector)
        internal
        view
        returns (bool isOnList)
    {
        bytes32 slot = _slot(account, number, FUNCTION, selector, target);
        assembly ("memory-safe") {
            isOnList := sload(slot)
        }
    }

    function _setFunctionOnList(address account, uint48 number, address target, bytes4 selector, bool isOnList)
        internal
    {
        bytes32 slot = _slot(account, number, FUNCTION, selector, target);
        assembly ("memory-safe") {
            sstore(slot, isOnList)
        }
    }

    /// Returns 6 bytes number, 2 bytes kind, 4 bytes selector, 20 bytes address: all are distinct from each other and
    /// from members of KEYS, whose first byte is a letter.
    function _slot(address account, uint48 number, uint256 kind, bytes4 selector, address subject)
        private
        pure
        returns (bytes32 slot)
    {
        bytes32 what = bytes32(
            uint256(number) << 208 | kind << 192 | uint256(uint32(selector)) << 160 | uint256(uint160(subject))
        );
        assembly ("memory-safe") {
            mstore(0, account)
            mstore(0x20, what)
            slot := keccak256(0, 0x40)
        }
    }
}
