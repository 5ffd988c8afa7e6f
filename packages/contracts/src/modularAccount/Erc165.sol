// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Asks a contract for its interfaces (ERC-165). Never reverts.
library Erc165 {
    // Bound of the standard: an answer takes less.
    uint256 private constant GAS = 30_000;

    /// Returns false for a contract that claims everything or does not answer.
    function isSupported(address target, bytes4 interfaceId) internal view returns (bool) {
        return _answers(target, interfaceId) && _answers(target, 0x01ffc9a7) && !_answers(target, 0xffffffff);
    }

    /// Writes to scratch space, since every target of the account is asked.
    function _answers(address target, bytes4 interfaceId) private view returns (bool answer) {
        assembly ("memory-safe") {
            // supportsInterface(bytes4)
            mstore(0, 0x01ffc9a700000000000000000000000000000000000000000000000000000000)
            mstore(4, interfaceId)
            let success := staticcall(GAS, target, 0, 0x24, 0, 0x20)
            answer := and(success, and(gt(returndatasize(), 0x1f), eq(mload(0), 1)))
        }
    }
}
