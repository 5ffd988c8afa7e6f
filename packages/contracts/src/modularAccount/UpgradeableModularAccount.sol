// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "../common/Initializable.sol";
import {TokenReceiver} from "../common/TokenReceiver.sol";
import {UupsUpgradeable} from "../common/UupsUpgradeable.sol";
import {AccountExecutor} from "./AccountExecutor.sol";
import {AccountHooks} from "./AccountHooks.sol";
import {AccountLoupe} from "./AccountLoupe.sol";
import {PluginManager} from "./PluginManager.sol";
import {FunctionReference} from "./erc6900/FunctionReference.sol";
import {UninstallConfig} from "./erc6900/IPluginManager.sol";

/// Implements a smart account whose functions come from plugins (ERC-6900 v0.7), for entry point 0.6. For local and
/// private chains. Unaudited: public chains have the audited contract at the same address.
///
/// Permissions:
/// - execute, executeBatch, installPlugin, uninstallPlugin, upgradeToAndCall and plugin functions: callers that pass
///   the function's validation, which belongs to a plugin. It checks the user operation of the entry point, or the
///   caller of a direct call; a function without validation cannot be called;
/// - executeFromPlugin, executeFromPluginExternal: an installed plugin, as far as its manifest permits;
/// - validateUserOp: the entry point alone;
/// - initialize: the factory, in the transaction that creates the account, or an upgrade that brings this code;
/// - anyone: sending ether and tokens, and every view.
contract UpgradeableModularAccount is AccountExecutor, AccountLoupe, PluginManager, TokenReceiver, UupsUpgradeable {
    error AlreadyInitialized();
    // The published ABI names it; nothing here raises it.
    error AlreadyInitializing();
    error ArrayLengthMismatch();

    event ModularAccountInitialized(address indexed entryPoint);

    /// Refuses the code itself as well, which is not an account.
    modifier onlyOnce() {
        if (_state().lastNumber != 0 || address(this) == _self) revert AlreadyInitialized();
        _;
    }

    constructor(address anEntryPoint) AccountHooks(anEntryPoint) Initializable("latchkey.UpgradeableModularAccount") {}

    /// Initializes a new account, or one whose code came from another kind of account by an upgrade. `pluginInitData`:
    /// see IAccount.
    function initialize(address[] calldata plugins, bytes calldata pluginInitData) external onlyOnce initializer {
        (bytes32[] memory hashes, bytes[] memory datas) = abi.decode(pluginInitData, (bytes32[], bytes[]));
        if (plugins.length != hashes.length || plugins.length != datas.length) revert ArrayLengthMismatch();
        for (uint256 i; i < plugins.length; ++i) {
            _install(plugins[i], hashes[i], datas[i], new FunctionReference[](0));
        }
        emit ModularAccountInitialized(address(_entryPoint));
    }

    function installPlugin(
        address plugin,
        bytes32 manifestHash,
        bytes calldata pluginInstallData,
        FunctionReference[] calldata dependencies
    ) external guarded {
        _install(plugin, manifestHash, pluginInstallData, dependencies);
    }

    /// Uninstalls a plugin. Without a validation left the account can do nothing more, so uninstall the owners' plugin
    /// only in a batch that installs another.
    function uninstallPlugin(address plugin, bytes calldata config, bytes calldata pluginUninstallData)
        external
        guarded
    {
        UninstallConfig memory how;
        if (config.length != 0) how = abi.decode(config, (UninstallConfig));
        _uninstall(plugin, how, pluginUninstallData);
    }

    /// Accepts ERC-777 tokens, which ask the receiver first.
    function tokensReceived(address, address, address, uint256, bytes calldata, bytes calldata) external pure {}

    function getNonce() external view returns (uint256) {
        return _entryPoint.getNonce(address(this), 0);
    }

    function entryPoint() external view returns (address) {
        return address(_entryPoint);
    }

    function upgradeToAndCall(address newImplementation, bytes calldata data) public payable override onlyProxy guarded {
        super.upgradeToAndCall(newImplementation, data);
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return super.supportsInterface(interfaceId) || _state().interfaces[interfaceId] != 0;
    }

    /// Removes every plugin. Other state names plugins by number, and numbers are never reused, so an account that
    /// continues as another kind cannot come back.
    function _leave() internal override {
        State storage state = _state();
        for (uint256 number = state.lastNumber; number > 0; --number) {
            delete state.configs[state.plugins[number]];
            delete state.plugins[number];
        }
    }

    /// Accepts every caller: the function's validation has decided.
    function _authorizeUpgrade(address) internal view override {}
}
