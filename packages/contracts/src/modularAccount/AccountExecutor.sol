// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountValidation} from "./AccountValidation.sol";
import {Erc165} from "./Erc165.sol";
import {IPlugin} from "./erc6900/IPlugin.sol";
import {IPluginExecutor} from "./erc6900/IPluginExecutor.sol";
import {Call, IStandardExecutor} from "./erc6900/IStandardExecutor.sol";

/// Executes the account's own calls, calls that plugins make in its name, and functions that plugins added.
abstract contract AccountExecutor is IStandardExecutor, IPluginExecutor, AccountValidation {
    error ExecFromPluginExternalNotPermitted(address plugin, address target, uint256 value, bytes data);
    error ExecFromPluginNotPermitted(address plugin, bytes4 selector);
    error NativeTokenSpendingNotPermitted(address plugin);
    error PluginCallDenied(address plugin);

    receive() external payable {}

    /// Runs a function that a plugin added.
    fallback(bytes calldata data) external payable returns (bytes memory result) {
        PostHook[] memory hooks = _enter(msg.sig);
        result = _send(_pluginOf(bytes4(data), data.length), 0, data);
        _runPostHooks(hooks);
    }

    function execute(address target, uint256 value, bytes calldata data)
        external
        payable
        guarded
        returns (bytes memory result)
    {
        return _call(target, value, data);
    }

    function executeBatch(Call[] calldata calls) external payable guarded returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            results[i] = _call(calls[i].target, calls[i].value, calls[i].data);
        }
    }

    function executeFromPlugin(bytes calldata data) external payable returns (bytes memory returnData) {
        bytes4 selector = bytes4(data);
        if (data.length < 4) revert UnrecognizedFunction(selector);
        if (!_state().permittedSelectors[msg.sender][selector]) {
            revert ExecFromPluginNotPermitted(msg.sender, selector);
        }
        address plugin = _pluginOf(selector, data.length);
        PostHook[] memory hooks = _runPreHooks(selector, data);
        returnData = _send(plugin, 0, data);
        _runPostHooks(hooks);
    }

    function executeFromPluginExternal(address target, uint256 value, bytes calldata data)
        external
        payable
        returns (bytes memory result)
    {
        PluginConfig storage config = _state().configs[msg.sender];
        // The caller may spend the ether that it sent along.
        if (value > msg.value && !config.canSpendNativeToken) revert NativeTokenSpendingNotPermitted(msg.sender);
        bool isPermitted = config.permitAnyExternalAddress || (config.number != 0 && _isPermitted(target, data));
        if (target == address(this) || !isPermitted) {
            revert ExecFromPluginExternalNotPermitted(msg.sender, target, value, data);
        }
        PostHook[] memory hooks = _runPreHooks(msg.sig, msg.data);
        result = _call(target, value, data);
        _runPostHooks(hooks);
    }

    function _isPermitted(address target, bytes calldata data) private view returns (bool) {
        ExternalPermission storage permission = _state().permittedCalls[msg.sender][target];
        return permission.anySelector || (data.length >= 4 && permission.selectors[bytes4(data)]);
    }

    /// Returns the plugin that added a function.
    function _pluginOf(bytes4 selector, uint256 dataLength) private view returns (address plugin) {
        State storage state = _state();
        plugin = state.plugins[state.selectors[selector].plugin];
        if (plugin == address(0) || dataLength < 4) revert UnrecognizedFunction(selector);
    }

    /// Refuses plugins as targets: they trust that the account calls them only by its own rules.
    function _call(address target, uint256 value, bytes calldata data) private returns (bytes memory) {
        if (Erc165.isSupported(target, type(IPlugin).interfaceId)) revert PluginCallDenied(target);
        return _send(target, value, data);
    }

    /// Calls, and passes on a revert.
    function _send(address target, uint256 value, bytes calldata data) private returns (bytes memory result) {
        bool success;
        (success, result) = target.call{value: value}(data);
        if (success) return result;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }
}
