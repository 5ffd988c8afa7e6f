// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Stores a set of addresses, one storage slot each: a ring in which every member points to the next.
library AddressSet {
    struct Set {
        /// Maps each member to the next; ANCHOR to the first. Zero for addresses that are not members.
        mapping(uint256 member => uint256) next;
    }

    /// Marks the start and end of the ring: larger than every address.
    uint256 private constant ANCHOR = 1 << 160;

    /// Adds an address in front. Returns false if it is already a member.
    function add(Set storage set, address member) internal returns (bool) {
        if (contains(set, member)) return false;
        uint256 first = set.next[ANCHOR];
        set.next[uint160(member)] = first == 0 ? ANCHOR : first;
        set.next[ANCHOR] = uint160(member);
        return true;
    }

    /// Removes an address, searching its predecessor from the first on. Returns false if it is not a member.
    function remove(Set storage set, address member) internal returns (bool) {
        if (!contains(set, member)) return false;
        uint256 before = ANCHOR;
        while (set.next[before] != uint160(member)) before = set.next[before];
        set.next[before] = set.next[uint160(member)];
        delete set.next[uint160(member)];
        return true;
    }

    /// Removes all members.
    function clear(Set storage set) internal {
        for (uint256 member = ANCHOR; set.next[member] != 0;) {
            uint256 next = set.next[member];
            delete set.next[member];
            member = next;
        }
    }

    function contains(Set storage set, address member) internal view returns (bool) {
        return set.next[uint160(member)] != 0;
    }

    function isEmpty(Set storage set) internal view returns (bool) {
        uint256 first = set.next[ANCHOR];
        return first == 0 || first == ANCHOR;
    }

    /// Lists the members, newest first.
    function values(Set storage set) internal view returns (address[] memory members) {
        if (isEmpty(set)) return members;
        uint256 count;
        for (uint256 member = set.next[ANCHOR]; member != ANCHOR; member = set.next[member]) ++count;
        members = new address[](count);
        uint256 last = ANCHOR;
        for (uint256 i; i < count; ++i) {
            last = set.next[last];
            members[i] = address(uint160(last));
        }
    }
}
