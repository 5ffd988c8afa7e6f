// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// What a paymaster asks of the entry point about its deposit and stake (ERC-4337), whatever its version.
interface IStakeManager {
    function balanceOf(address account) external view returns (uint256);

    function depositTo(address account) external payable;

    function withdrawTo(address payable withdrawAddress, uint256 withdrawAmount) external;

    function addStake(uint32 unstakeDelaySec) external payable;

    function unlockStake() external;

    function withdrawStake(address payable withdrawAddress) external;
}
