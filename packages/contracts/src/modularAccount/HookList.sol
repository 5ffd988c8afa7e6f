// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Stores the hooks of one function in the order of their installation. A hook installed more than once runs once and
/// is counted. A slot holds four entries: 24 bits the hook before, 24 bits the hook after, 8 bits the count.
library HookList {
    uint256 private constant MAX_COUNT = 255;

    /// Adds a hook. Returns false when its count is full.
    function add(uint64[] storage list, uint24 before, uint24 afterwards) internal returns (bool) {
        uint256 length = list.length;
        uint64 entry = _entryOf(before, afterwards);
        for (uint256 i; i < length; ++i) {
            uint64 other = list[i];
            if (other >> 8 != entry >> 8) continue;
            if (uint8(other) == MAX_COUNT) return false;
            list[i] = other + 1;
            return true;
        }
        list.push(entry);
        return true;
    }

    /// Decrements the count, and removes the entry with the last one; the others keep their order.
    function remove(uint64[] storage list, uint24 before, uint24 afterwards) internal {
        uint256 length = list.length;
        uint64 entry = _entryOf(before, afterwards);
        uint256 i;
        while (i < length && list[i] >> 8 != entry >> 8) ++i;
        if (i == length) return;
        if (list[i] != entry) {
            --list[i];
            return;
        }
        for (; i + 1 < length; ++i) list[i] = list[i + 1];
        list.pop();
    }

    /// Lists the hooks of executions in the order in which they begin, as the public account runs them: the newest hook
    /// before comes first, with all hooks after that share it; hooks after without one before come last. Hooks after
    /// run in the opposite order.
    function inRunOrder(uint64[] storage list) internal view returns (uint64[] memory entries) {
        uint64[] memory stored = list;
        uint256 length = stored.length;
        entries = new uint64[](length);
        uint256 count;
        for (uint256 i = length; i > 0; --i) {
            uint64 before = stored[i - 1] >> 32;
            if (before == 0 || _isBefore(stored, before, i - 1)) continue;
            for (uint256 j = i - 1; j < length; ++j) {
                if (stored[j] >> 32 == before) entries[count++] = stored[j];
            }
        }
        for (uint256 i = length; i > 0; --i) {
            if (stored[i - 1] >> 32 == 0) entries[count++] = stored[i - 1];
        }
    }

    function unpack(uint64 entry) internal pure returns (uint24 before, uint24 afterwards) {
        return (uint24(entry >> 32), uint24(entry >> 8));
    }

    /// Returns whether one of the first `end` entries has that hook before.
    function _isBefore(uint64[] memory entries, uint64 before, uint256 end) private pure returns (bool) {
        for (uint256 i; i < end; ++i) {
            if (entries[i] >> 32 == before) return true;
        }
        return false;
    }

    function _entryOf(uint24 before, uint24 afterwards) private pure returns (uint64) {
        return uint64(before) << 32 | uint64(afterwards) << 8 | 1;
    }
}
