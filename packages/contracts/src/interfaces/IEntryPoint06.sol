// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A user operation of ERC-4337, entry point version 0.6.
struct UserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    uint256 callGasLimit;
    uint256 verificationGasLimit;
    uint256 preVerificationGas;
    uint256 maxFeePerGas;
    uint256 maxPriorityFeePerGas;
    bytes paymasterAndData;
    bytes signature;
}

/// What an account asks of the entry point, version 0.6.
interface IEntryPoint06 {
    function depositTo(address account) external payable;

    function withdrawTo(address payable withdrawAddress, uint256 withdrawAmount) external;

    function balanceOf(address account) external view returns (uint256);

    function getNonce(address sender, uint192 key) external view returns (uint256);
}
