// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Declares the functions that accounts call on the entry point (ERC-4337), in every version.
interface IEntryPoint {
    function depositTo(address account) external payable;

    function withdrawTo(address payable withdrawAddress, uint256 withdrawAmount) external;

    function balanceOf(address account) external view returns (uint256);

    function getNonce(address sender, uint192 key) external view returns (uint256);
}
