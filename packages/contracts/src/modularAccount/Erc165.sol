// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Asks a contract what it is (ERC-165). Never reverts.
library Erc165 {
    // The standard's bound: a response takes less.
    uint256 private constant GAS = 30_000;

    /// A contract that says yes to everything, or does not know the question, supports nothing.
    function isSupported(address target, bytes4 interfaceId) internal view returns (bool) {
        return _answers(target, interfaceId) && _answers(target, 0x01ffc9a7) && !_answers(target, 0xffffffff);
    }

    /// Straight to scratch space: this is asked of every target the account calls.
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
