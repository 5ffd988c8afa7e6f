// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Splits a signature into the data of hooks and of the validation: for each hook with data, in ascending order, its
/// index (1), a length (4) and the data; then 0xff and the data of the validation.
library Segments {
    error NonCanonicalEncoding();
    error SegmentOutOfOrder();
    error ValidationSignatureSegmentMissing();

    uint8 private constant LAST = 0xff;

    /// Returns the data of the hook with that index, empty if there is none. To be called in ascending order.
    function next(bytes calldata source, uint256 index)
        internal
        pure
        returns (bytes calldata segment, bytes calldata rest)
    {
        uint8 first = _first(source);
        if (first < index) revert SegmentOutOfOrder();
        if (first != index) return (source[:0], source);
        uint256 end = 5 + uint256(uint32(bytes4(source[1:5])));
        // Empty data are left out: each signature has one encoding.
        if (end == 5) revert NonCanonicalEncoding();
        return (source[5:end], source[end:]);
    }

    /// Returns the data of the validation.
    function last(bytes calldata source) internal pure returns (bytes calldata) {
        if (_first(source) != LAST) revert ValidationSignatureSegmentMissing();
        return source[1:];
    }

    function _first(bytes calldata source) private pure returns (uint8) {
        if (source.length == 0) revert ValidationSignatureSegmentMissing();
        return uint8(source[0]);
    }
}
