// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {FunctionReference} from "./FunctionReference.sol";

/// Declares installing and uninstalling plugins (ERC-6900 v0.7).
interface IPluginManager {
    event PluginInstalled(address indexed plugin, bytes32 manifestHash, FunctionReference[] dependencies);
    event PluginUninstalled(address indexed plugin, bool indexed onUninstallSucceeded);

    /// Installs a plugin. `manifestHash` is keccak256 over the ABI encoding of the result of pluginManifest.
    function installPlugin(
        address plugin,
        bytes32 manifestHash,
        bytes calldata pluginInstallData,
        FunctionReference[] calldata dependencies
    ) external;

    /// Uninstalls a plugin. `config` may be empty; else it is an ABI-encoded UninstallConfig.
    function uninstallPlugin(address plugin, bytes calldata config, bytes calldata pluginUninstallData) external;
}

struct UninstallConfig {
    /// ABI-encoded manifest of the install, for a plugin that now returns another one. May be empty.
    bytes serializedManifest;
    /// Uninstalls even when the plugin's callback fails.
    bool forceUninstall;
    /// Gas for the callback. Zero: all available gas.
    uint256 callbackGasLimit;
}
