// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../../interfaces/UserOperation06.sol";
import {PluginManifest, PluginMetadata} from "./PluginManifest.sol";

/// ERC-6900 v0.7: what an account asks of a plugin. A function id tells a plugin's functions of one kind apart.
/// ERC-165 id: 0xf23b1ed7.
interface IPlugin {
    function onInstall(bytes calldata data) external;

    function onUninstall(bytes calldata data) external;

    /// Runs before a user operation is validated. Returns what ERC-4337's validateUserOp does, without an aggregator.
    function preUserOpValidationHook(uint8 functionId, UserOperation calldata userOp, bytes32 userOpHash)
        external
        returns (uint256);

    /// Returns what ERC-4337's validateUserOp does.
    function userOpValidationFunction(uint8 functionId, UserOperation calldata userOp, bytes32 userOpHash)
        external
        returns (uint256);

    /// Runs before a direct call is validated. Reverts to refuse it.
    function preRuntimeValidationHook(uint8 functionId, address sender, uint256 value, bytes calldata data) external;

    /// Reverts to refuse a direct call of `sender`.
    function runtimeValidationFunction(uint8 functionId, address sender, uint256 value, bytes calldata data) external;

    /// What it returns is passed to the hook that runs after.
    function preExecutionHook(uint8 functionId, address sender, uint256 value, bytes calldata data)
        external
        returns (bytes memory);

    function postExecutionHook(uint8 functionId, bytes calldata preExecHookData) external;

    function pluginManifest() external pure returns (PluginManifest memory);

    function pluginMetadata() external pure returns (PluginMetadata memory);
}
