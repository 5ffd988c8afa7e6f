// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// What an account asks of the entry point (ERC-4337), whatever its version.
interface IEntryPoint {
    function depositTo(address account) external payable;

    function withdrawTo(address payable withdrawAddress, uint256 withdrawAmount) external;

    function balanceOf(address account) external view returns (uint256);

    function getNonce(address sender, uint192 key) external view returns (uint256);
}
