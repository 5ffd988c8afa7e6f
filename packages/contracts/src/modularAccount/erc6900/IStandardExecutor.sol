// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

struct Call {
    address target;
    /// In wei.
    uint256 value;
    bytes data;
}

/// Declares calls of the account itself (ERC-6900 v0.7). Plugins cannot be targets: they would take the account for
/// their caller.
interface IStandardExecutor {
    function execute(address target, uint256 value, bytes calldata data)
        external
        payable
        returns (bytes memory result);

    function executeBatch(Call[] calldata calls) external payable returns (bytes[] memory results);
}
