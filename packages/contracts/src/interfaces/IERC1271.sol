// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Declares ERC-1271: a contract verifies a signature as its own.
interface IERC1271 {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4);
}
