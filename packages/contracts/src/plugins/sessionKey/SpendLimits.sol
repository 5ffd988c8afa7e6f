// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Limits spending, in total or in each interval of time.
struct SpendLimit {
    uint256 limit;
    uint256 used;
    /// In seconds; 0: what was spent stays spent.
    uint48 refreshInterval;
    /// Start of the current interval.
    uint48 lastUsed;
}

library SpendLimits {
    /// Restarts the interval and keeps what was spent in it; only the maximum, no limit, clears that.
    function set(SpendLimit storage self, uint256 limit, uint48 refreshInterval) internal {
        self.limit = limit;
        if (limit == type(uint256).max) self.used = 0;
        self.refreshInterval = refreshInterval;
        self.lastUsed = refreshInterval == 0 ? 0 : uint48(block.timestamp);
    }

    /// Spends an amount. Returns false, and spends nothing, if it is too much. Zero is an amount like others: it begins
    /// an interval, and is too much if the limit was lowered below what is used.
    function spend(SpendLimit storage self, uint256 amount) internal returns (bool) {
        uint48 refreshInterval = self.refreshInterval;
        bool isOver = refreshInterval != 0 && uint256(self.lastUsed) + refreshInterval <= block.timestamp;
        uint256 used = isOver ? 0 : self.used;
        if (!fits(self.limit, used, amount)) return false;
        self.used = used + amount;
        if (isOver) self.lastUsed = uint48(block.timestamp);
        return true;
    }

    function fits(uint256 limit, uint256 used, uint256 amount) internal pure returns (bool) {
        return used <= limit && amount <= limit - used;
    }
}
