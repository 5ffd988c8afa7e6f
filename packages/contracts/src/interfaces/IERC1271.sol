// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// ERC-1271: how a contract says that a signature is its own.
interface IERC1271 {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}
