// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Holds a user operation of ERC-4337, entry point version 0.7.
struct PackedUserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    /// verificationGasLimit, callGasLimit: 16 bytes each.
    bytes32 accountGasLimits;
    uint256 preVerificationGas;
    /// maxPriorityFeePerGas, maxFeePerGas: 16 bytes each.
    bytes32 gasFees;
    bytes paymasterAndData;
    bytes signature;
}
