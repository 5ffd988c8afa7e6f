// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Erc165} from "./Erc165.sol";
import {ManifestEntries} from "./ManifestEntries.sol";
import {FunctionReference} from "./erc6900/FunctionReference.sol";
import {IPlugin} from "./erc6900/IPlugin.sol";
import {IPluginManager, UninstallConfig} from "./erc6900/IPluginManager.sol";
import {PluginManifest} from "./erc6900/PluginManifest.sol";

/// Installs and uninstalls plugins. Enters a whole manifest or nothing: every refusal reverts.
abstract contract PluginManager is IPluginManager, ManifestEntries {
    error InvalidDependenciesProvided();
    error MissingPluginDependency(address dependency);
    error PluginAlreadyInstalled(address plugin);
    error PluginDependencyViolation(address plugin);
    error PluginInstallCallbackFailed(address plugin, bytes revertReason);
    error PluginInterfaceNotSupported(address plugin);
    error PluginNotInstalled(address plugin);
    error PluginUninstallCallbackFailed(address plugin, bytes revertReason);

    function _install(
        address plugin,
        bytes32 manifestHash,
        bytes memory installData,
        FunctionReference[] memory dependencies
    ) internal {
        State storage state = _state();
        PluginConfig storage config = state.configs[plugin];
        if (config.number != 0) revert PluginAlreadyInstalled(plugin);
        if (!Erc165.isSupported(plugin, type(IPlugin).interfaceId)) revert PluginInterfaceNotSupported(plugin);
        PluginManifest memory manifest = _decodeManifest(_askManifest(plugin), manifestHash);

        uint24[] memory packed = _takeDependencies(manifest.dependencyInterfaceIds, dependencies);
        uint16 number = ++state.lastNumber;
        state.plugins[number] = plugin;
        config.number = number;
        config.permitAnyExternalAddress = manifest.permitAnyExternalAddress;
        config.canSpendNativeToken = manifest.canSpendNativeToken;
        config.manifestHash = manifestHash;
        if (packed.length != 0) config.dependencies = packed;
        _enterManifest(manifest, Origin(plugin, number, packed));

        try IPlugin(plugin).onInstall(installData) {}
        catch (bytes memory reason) {
            revert PluginInstallCallbackFailed(plugin, reason);
        }
        emit PluginInstalled(plugin, manifestHash, dependencies);
    }

    function _uninstall(address plugin, UninstallConfig memory how, bytes calldata uninstallData) internal {
        State storage state = _state();
        PluginConfig storage config = state.configs[plugin];
        uint16 number = config.number;
        if (number == 0) revert PluginNotInstalled(plugin);
        bytes memory encoded = how.serializedManifest.length == 0 ? _askManifest(plugin) : how.serializedManifest;
        PluginManifest memory manifest = _decodeManifest(encoded, config.manifestHash);
        if (config.dependents != 0) revert PluginDependencyViolation(plugin);

        uint24[] memory dependencies = config.dependencies;
        for (uint256 i; i < dependencies.length; ++i) {
            (address dependency,) = _open(dependencies[i]);
            --state.configs[dependency].dependents;
        }
        _leaveManifest(manifest, Origin(plugin, number, dependencies));
        delete state.configs[plugin];
        delete state.plugins[number];

        emit PluginUninstalled(plugin, _callOnUninstall(plugin, how, uninstallData));
    }

    /// Calls the plugin after it has lost all its rights, and returns whether that succeeded. A plugin whose code is
    /// gone is not called, and can be uninstalled with the manifest it had.
    function _callOnUninstall(address plugin, UninstallConfig memory how, bytes calldata uninstallData)
        private
        returns (bool success)
    {
        uint256 gasLimit = how.callbackGasLimit == 0 ? gasleft() : how.callbackGasLimit;
        bytes memory reason;
        (success, reason) = plugin.call{gas: gasLimit}(abi.encodeCall(IPlugin.onUninstall, (uninstallData)));
        if (!success && !how.forceUninstall) revert PluginUninstallCallbackFailed(plugin, reason);
    }

    /// Checks that each dependency is installed and is what the manifest asks for.
    function _takeDependencies(bytes4[] memory interfaceIds, FunctionReference[] memory dependencies)
        private
        returns (uint24[] memory packed)
    {
        if (interfaceIds.length != dependencies.length) revert InvalidDependenciesProvided();
        packed = new uint24[](dependencies.length);
        for (uint256 i; i < dependencies.length; ++i) {
            address dependency;
            (dependency, packed[i]) = _pack(dependencies[i]);
            PluginConfig storage config = _state().configs[dependency];
            if (config.number == 0) revert MissingPluginDependency(dependency);
            if (!Erc165.isSupported(dependency, interfaceIds[i])) revert InvalidDependenciesProvided();
            ++config.dependents;
        }
    }

    /// Returns the manifest as encoded by the plugin, since the hash is over these bytes. Passes on a revert; a plugin
    /// whose code is gone has no manifest, and reverts without a reason.
    function _askManifest(address plugin) private view returns (bytes memory encoded) {
        bool success = plugin.code.length != 0;
        if (success) (success, encoded) = plugin.staticcall(abi.encodeCall(IPlugin.pluginManifest, ()));
        if (success) return encoded;
        assembly ("memory-safe") {
            revert(add(encoded, 0x20), mload(encoded))
        }
    }

    function _decodeManifest(bytes memory encoded, bytes32 hash) private pure returns (PluginManifest memory) {
        if (keccak256(encoded) != hash) revert InvalidPluginManifest();
        return abi.decode(encoded, (PluginManifest));
    }
}
