// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {FunctionReference} from "./FunctionReference.sol";

/// ERC-6900 v0.7: how plugins come and go.
interface IPluginManager {
    event PluginInstalled(address indexed plugin, bytes32 manifestHash, FunctionReference[] dependencies);
    event PluginUninstalled(address indexed plugin, bool indexed onUninstallSucceeded);

    /// `manifestHash` is keccak256 over the ABI encoding of what the plugin's pluginManifest returns.
    function installPlugin(
        address plugin,
        bytes32 manifestHash,
        bytes calldata pluginInstallData,
        FunctionReference[] calldata dependencies
    ) external;

    /// `config` may be empty; else it is an ABI-encoded UninstallConfig.
    function uninstallPlugin(address plugin, bytes calldata config, bytes calldata pluginUninstallData) external;
}

struct UninstallConfig {
    /// The manifest of the install, ABI-encoded, for a plugin that returns another one by now. May be empty.
    bytes serializedManifest;
    /// Uninstall even when the plugin's callback fails.
    bool forceUninstall;
    /// Gas for the callback. Zero: as much as there is.
    uint256 callbackGasLimit;
}
