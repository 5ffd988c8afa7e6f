// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Encodes what an account returns to the entry point (ERC-4337): 20 bytes authorizer (0 valid, 1 wrong signature, else
/// an aggregator), 6 bytes valid until (0: forever), 6 bytes valid from; in seconds.
library ValidationData {
    uint256 internal constant SIGNATURE_FAILED = 1;

    function pack(bool signatureFailed, uint48 validAfter, uint48 validUntil) internal pure returns (uint256) {
        return uint256(validAfter) << 208 | uint256(validUntil) << 160 | (signatureFailed ? SIGNATURE_FAILED : 0);
    }

    function authorizerOf(uint256 data) internal pure returns (address) {
        return address(uint160(data));
    }

    /// Returns what both allow: a failed signature of either, the later start and the earlier end. A missing end
    /// becomes the largest one, as on public chains. `hook` names no aggregator.
    function intersect(uint256 hook, uint256 data) internal pure returns (uint256) {
        uint160 authorizer = uint160(hook) == SIGNATURE_FAILED ? uint160(SIGNATURE_FAILED) : uint160(data);
        uint48 start = uint48(hook >> 208) > uint48(data >> 208) ? uint48(hook >> 208) : uint48(data >> 208);
        (uint48 hookEnd, uint48 dataEnd) = (_endOf(hook), _endOf(data));
        return uint256(start) << 208 | uint256(hookEnd < dataEnd ? hookEnd : dataEnd) << 160 | authorizer;
    }

    function _endOf(uint256 data) private pure returns (uint48 end) {
        end = uint48(data >> 160);
        if (end == 0) end = type(uint48).max;
    }
}
