// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountStorage} from "./AccountStorage.sol";
import {Encoding} from "./Encoding.sol";
import {ModuleCallbacks} from "./ModuleCallbacks.sol";
import {NativeSelectors} from "./NativeSelectors.sol";
import {ExecutionManifest, IModularAccount, ManifestExecutionHook} from "./erc6900/IModularAccount.sol";
import {IExecutionHookModule, IModule, IValidationHookModule, IValidationModule} from "./erc6900/IModule.sol";

/// Declares a module whose functions an account takes over.
interface IExecutionModule {
    function executionManifest() external view returns (ExecutionManifest memory);
}

/// Adds functions of modules to an account and removes them. Accounts run its code on their own storage.
contract ExecutionInstallDelegate {
    error ERC4337FunctionNotAllowed(bytes4 selector);
    error ExecutionFunctionAlreadySet(bytes4 selector);
    error ExecutionFunctionNotSet(bytes4 selector);
    error ExecutionHookAlreadySet(bytes25 hookConfig);
    error IModuleFunctionNotAllowed(bytes4 selector);
    error InterfaceNotAllowed();
    error NullModule();
    error OnlyDelegateCall();

    address private immutable _self = address(this);

    modifier onlyDelegateCall() {
        if (address(this) == _self) revert OnlyDelegateCall();
        _;
    }

    function installExecution(address module, ExecutionManifest calldata manifest, bytes calldata moduleInstallData)
        external
        onlyDelegateCall
    {
        if (module == address(0)) revert NullModule();
        AccountStorage.state().hasExecutions = true;
        AccountStorage.Modules storage modules = AccountStorage.modules();
        for (uint256 i; i < manifest.executionFunctions.length; ++i) {
            bytes4 selector = manifest.executionFunctions[i].executionSelector;
            AccountStorage.Execution storage execution = modules.executions[selector];
            _requireFree(selector);
            if (execution.module != address(0)) revert ExecutionFunctionAlreadySet(selector);
            execution.module = module;
            execution.skipRuntimeValidation = manifest.executionFunctions[i].skipRuntimeValidation;
            execution.allowGlobalValidation = manifest.executionFunctions[i].allowGlobalValidation;
        }
        for (uint256 i; i < manifest.executionHooks.length; ++i) {
            bytes25 config = _toConfig(module, manifest.executionHooks[i]);
            AccountStorage.Execution storage execution = modules.executions[manifest.executionHooks[i].executionSelector];
            if (_find(execution.hooks, config) < execution.hooks.length) revert ExecutionHookAlreadySet(config);
            execution.hooks.push(config);
            execution.hasHooks = true;
        }
        for (uint256 i; i < manifest.interfaceIds.length; ++i) {
            if (manifest.interfaceIds[i] == 0xffffffff) revert InterfaceNotAllowed();
            ++modules.interfaces[manifest.interfaceIds[i]];
        }
        ModuleCallbacks.install(module, moduleInstallData, type(IExecutionModule).interfaceId);
        emit IModularAccount.ExecutionInstalled(module, manifest);
    }

    /// Removes what the manifest lists, as far as it is the module's.
    function uninstallExecution(address module, ExecutionManifest calldata manifest, bytes calldata moduleUninstallData)
        external
        onlyDelegateCall
    {
        if (module == address(0)) revert NullModule();
        AccountStorage.Modules storage modules = AccountStorage.modules();
        for (uint256 i; i < manifest.executionHooks.length; ++i) {
            AccountStorage.Execution storage execution = modules.executions[manifest.executionHooks[i].executionSelector];
            _remove(execution.hooks, _toConfig(module, manifest.executionHooks[i]));
            execution.hasHooks = execution.hooks.length != 0;
        }
        for (uint256 i; i < manifest.executionFunctions.length; ++i) {
            bytes4 selector = manifest.executionFunctions[i].executionSelector;
            AccountStorage.Execution storage execution = modules.executions[selector];
            if (execution.module != module) revert ExecutionFunctionNotSet(selector);
            (execution.module, execution.skipRuntimeValidation, execution.allowGlobalValidation) =
                (address(0), false, false);
        }
        for (uint256 i; i < manifest.interfaceIds.length; ++i) {
            --modules.interfaces[manifest.interfaceIds[i]];
        }
        bool isComplete = ModuleCallbacks.uninstall(module, moduleUninstallData);
        emit IModularAccount.ExecutionUninstalled(module, isComplete, manifest);
    }

    /// Refuses functions that would never be reached, or by which the account could be taken for a module, a paymaster
    /// or an aggregator.
    function _requireFree(bytes4 selector) private pure {
        if (NativeSelectors.contains(selector)) revert ExecutionFunctionAlreadySet(selector);
        bool isModules = selector == IModule.onInstall.selector || selector == IModule.onUninstall.selector
            || selector == IModule.moduleId.selector || selector == IValidationModule.validateUserOp.selector
            || selector == IValidationModule.validateRuntime.selector
            || selector == IValidationModule.validateSignature.selector
            || selector == IValidationHookModule.preUserOpValidationHook.selector
            || selector == IValidationHookModule.preRuntimeValidationHook.selector
            || selector == IValidationHookModule.preSignatureValidationHook.selector
            || selector == IExecutionHookModule.preExecutionHook.selector
            || selector == IExecutionHookModule.postExecutionHook.selector
            || selector == IExecutionModule.executionManifest.selector;
        if (isModules) revert IModuleFunctionNotAllowed(selector);
        bool isEntryPoints = selector == 0x52b7512c // validatePaymasterUserOp
            || selector == 0x7c627b21 // postOp
            || selector == 0x2dd81133 // validateSignatures
            || selector == 0x062a422b // validateUserOpSignature
            || selector == 0xae574a43; // aggregateSignatures
        if (isEntryPoints) revert ERC4337FunctionNotAllowed(selector);
    }

    function _toConfig(address module, ManifestExecutionHook calldata hook) private pure returns (bytes25) {
        uint8 flags = (hook.isPreHook ? Encoding.PRE_HOOK : 0) | (hook.isPostHook ? Encoding.POST_HOOK : 0);
        return bytes25(abi.encodePacked(module, hook.entityId, flags));
    }

    /// Returns the length of the list for a hook that is not in it.
    function _find(bytes25[] storage list, bytes25 config) private view returns (uint256 index) {
        uint256 length = list.length;
        while (index < length && list[index] != config) ++index;
    }

    /// Removes a hook; the others keep their order.
    function _remove(bytes25[] storage list, bytes25 config) private {
        uint256 index = _find(list, config);
        uint256 length = list.length;
        if (index == length) return;
        for (; index + 1 < length; ++index) list[index] = list[index + 1];
        list.pop();
    }
}
