// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Stores a set of addresses for each account, one slot each: a ring in which every member points to the next.
///
/// Every slot is keccak256(account, 32 bytes): storage associated with the account, the only storage of other contracts
/// that a bundler lets an account read during validation (ERC-7562, and ERC-4337 of entry point 0.6 before it). A
/// struct in a mapping of a mapping would not be.
library AssociatedAddresses {
    /// Marks the start and end of the ring. It cannot be a member: nobody can have its key, and it has no code.
    address internal constant ANCHOR = address(1);

    /// Adds an address in front. Returns false for a member, and for an address that cannot be one.
    function add(bytes12 space, address account, address member) internal returns (bool) {
        if (uint160(member) <= uint160(ANCHOR) || contains(space, account, member)) return false;
        address first = _next(space, account, ANCHOR);
        _setNext(space, account, member, first == address(0) ? ANCHOR : first);
        _setNext(space, account, ANCHOR, member);
        return true;
    }

    /// Removes the member after `predecessor`. Returns false if there is none.
    function remove(bytes12 space, address account, address member, address predecessor) internal returns (bool) {
        if (uint160(member) <= uint160(ANCHOR) || _next(space, account, predecessor) != member) return false;
        _setNext(space, account, predecessor, _next(space, account, member));
        _setNext(space, account, member, address(0));
        return true;
    }

    function clear(bytes12 space, address account) internal {
        address member = ANCHOR;
        do {
            address next = _next(space, account, member);
            _setNext(space, account, member, address(0));
            member = next;
        } while (uint160(member) > uint160(ANCHOR));
    }

    function contains(bytes12 space, address account, address member) internal view returns (bool) {
        return uint160(member) > uint160(ANCHOR) && _next(space, account, member) != address(0);
    }

    function isEmpty(bytes12 space, address account) internal view returns (bool) {
        return uint160(_next(space, account, ANCHOR)) <= uint160(ANCHOR);
    }

    /// Returns the predecessor of a member; zero for other addresses.
    function predecessorOf(bytes12 space, address account, address member) internal view returns (address) {
        if (!contains(space, account, member)) return address(0);
        address before = ANCHOR;
        for (address next = _next(space, account, before); next != member; next = _next(space, account, next)) {
            before = next;
        }
        return before;
    }

    /// Lists the members, newest first.
    function values(bytes12 space, address account) internal view returns (address[] memory members) {
        uint256 count;
        address first = _next(space, account, ANCHOR);
        for (address next = first; uint160(next) > uint160(ANCHOR); next = _next(space, account, next)) ++count;
        members = new address[](count);
        for (uint256 i; i < count; ++i) {
            members[i] = first;
            first = _next(space, account, first);
        }
    }

    function _next(bytes12 space, address account, address member) private view returns (address next) {
        bytes32 slot = _slot(space, account, member);
        assembly ("memory-safe") {
            next := sload(slot)
        }
    }

    function _setNext(bytes12 space, address account, address member, address next) private {
        bytes32 slot = _slot(space, account, member);
        assembly ("memory-safe") {
            sstore(slot, next)
        }
    }

    function _slot(bytes12 space, address account, address member) private pure returns (bytes32 slot) {
        assembly ("memory-safe") {
            mstore(0, account)
            mstore(0x20, or(space, member))
            slot := keccak256(0, 0x40)
        }
    }
}
