// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../../interfaces/UserOperation06.sol";
import {PluginManifest, PluginMetadata} from "./PluginManifest.sol";

/// Declares functions that accounts call on plugins (ERC-6900 v0.7). A function id distinguishes a plugin's functions
/// of one kind. ERC-165 id: 0xf23b1ed7.
interface IPlugin {
    function onInstall(bytes calldata data) external;

    function onUninstall(bytes calldata data) external;

    /// Runs before a user operation is validated. Returns the same as validateUserOp of ERC-4337, without an
    /// aggregator.
    function preUserOpValidationHook(uint8 functionId, UserOperation calldata userOp, bytes32 userOpHash)
        external
        returns (uint256);

    /// Validates a user operation. Returns the same as validateUserOp of ERC-4337.
    function userOpValidationFunction(uint8 functionId, UserOperation calldata userOp, bytes32 userOpHash)
        external
        returns (uint256);

    /// Runs before a direct call is validated. Reverts to refuse it.
    function preRuntimeValidationHook(uint8 functionId, address sender, uint256 value, bytes calldata data) external;

    /// Validates a direct call of `sender`. Reverts to refuse it.
    function runtimeValidationFunction(uint8 functionId, address sender, uint256 value, bytes calldata data) external;

    /// Runs before an execution. The result is passed to the hook that runs after it.
    function preExecutionHook(uint8 functionId, address sender, uint256 value, bytes calldata data)
        external
        returns (bytes memory);

    function postExecutionHook(uint8 functionId, bytes calldata preExecHookData) external;

    function pluginManifest() external pure returns (PluginManifest memory);

    function pluginMetadata() external pure returns (PluginMetadata memory);
}
