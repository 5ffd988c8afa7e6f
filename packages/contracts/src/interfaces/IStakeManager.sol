// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Declares the functions for deposit and stake that paymasters call on the entry point (ERC-4337), in every version.
interface IStakeManager {
    function balanceOf(address account) external view returns (uint256);

    function depositTo(address account) external payable;

    function withdrawTo(address payable withdrawAddress, uint256 withdrawAmount) external;

    function addStake(uint32 unstakeDelaySec) external payable;

    function unlockStake() external;

    function withdrawStake(address payable withdrawAddress) external;
}
