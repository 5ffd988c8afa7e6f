// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Declares calls that an installed plugin makes in the account's name, as far as its manifest permits (ERC-6900 v0.7).
interface IPluginExecutor {
    /// Calls a function that another plugin added. `data` starts with its selector.
    function executeFromPlugin(bytes calldata data) external payable returns (bytes memory returnData);

    /// Calls an address that is neither a plugin nor the account.
    function executeFromPluginExternal(address target, uint256 value, bytes calldata data)
        external
        payable
        returns (bytes memory);
}
