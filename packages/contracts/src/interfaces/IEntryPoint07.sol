// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A user operation of ERC-4337, entry point version 0.7.
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

/// Deposits and stakes of ERC-4337. Its ERC-165 id is taken over all seven functions.
interface IStakeManager07 {
    struct DepositInfo {
        uint256 deposit;
        bool staked;
        uint112 stake;
        uint32 unstakeDelaySec;
        uint48 withdrawTime;
    }

    function getDepositInfo(address account) external view returns (DepositInfo memory info);

    function balanceOf(address account) external view returns (uint256);

    function depositTo(address account) external payable;

    function addStake(uint32 unstakeDelaySec) external payable;

    function unlockStake() external;

    function withdrawStake(address payable withdrawAddress) external;

    function withdrawTo(address payable withdrawAddress, uint256 withdrawAmount) external;
}

/// What accounts and factories ask of the entry point, version 0.7.
interface IEntryPoint07 is IStakeManager07 {
    function getNonce(address sender, uint192 key) external view returns (uint256);
}
