// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountExecutor} from "./AccountExecutor.sol";
import {AccountStorage} from "./AccountStorage.sol";
import {Encoding} from "./Encoding.sol";
import {ModuleCallbacks} from "./ModuleCallbacks.sol";
import {IExecutionHookModule, IValidationHookModule, IValidationModule} from "./erc6900/IModule.sol";

/// Installs and uninstalls validations with their hooks.
abstract contract ValidationManager is AccountExecutor {
    using Encoding for bytes25;

    error ArrayLengthMismatch();
    error ExecutionHookAlreadySet(bytes25 hookConfig);
    error PreValidationHookDuplicate();
    error ValidationAlreadySet(bytes4 selector, bytes24 validationFunction);
    error ValidationAssocHookLimitExceeded();
    error ValidationEntityIdInUse();

    /// Limits the hooks of one kind: their data are named by one byte, and 0xff is taken.
    uint256 private constant MAX_HOOKS = 255;

    /// Installs a validation, or adds selectors and hooks to it and replaces its flags. `hooks`: hook config (25 bytes)
    /// and install data of each.
    function installValidation(
        bytes25 validationConfig,
        bytes4[] calldata selectors,
        bytes calldata installData,
        bytes[] calldata hooks
    ) external override guarded {
        _installValidation(validationConfig, selectors, installData, hooks);
    }

    /// Uninstalls a validation. Modules without data keep their state. `hookUninstallData` is empty or has an entry for
    /// each hook: validation hooks first, in the order of their installation.
    function uninstallValidation(
        bytes24 validationFunction,
        bytes calldata uninstallData,
        bytes[] calldata hookUninstallData
    ) external override guarded {
        (address module, uint32 entityId) = (address(bytes20(validationFunction)), uint32(uint192(validationFunction)));
        bool isComplete = true;
        AccountStorage.Validation storage validation = _validationOf(Encoding.keyOf(validationFunction));
        // The entity id of another module's validation names nothing here.
        if (validation.module == module) isComplete = _clear(validation, hookUninstallData);
        if (!ModuleCallbacks.uninstall(module, uninstallData)) isComplete = false;
        emit ValidationUninstalled(module, entityId, isComplete);
    }

    function _installValidation(
        bytes25 config,
        bytes4[] calldata selectors,
        bytes calldata installData,
        bytes[] calldata hooks
    ) internal virtual {
        bytes24 entity = bytes24(config);
        address module = config.moduleOf();
        AccountStorage.Validation storage validation = _validationOf(Encoding.keyOf(entity));
        // Signatures and nonces name a validation by its entity id alone.
        if (validation.isInstalled && validation.module != module) revert ValidationEntityIdInUse();
        (validation.module, validation.flags, validation.isInstalled) = (module, config.flagsOf(), true);
        for (uint256 i; i < hooks.length; ++i) {
            _addHook(validation, hooks[i]);
        }
        for (uint256 i; i < selectors.length; ++i) {
            if (validation.isSelected[selectors[i]]) revert ValidationAlreadySet(selectors[i], entity);
            validation.isSelected[selectors[i]] = true;
            validation.selectors.push(selectors[i]);
        }
        ModuleCallbacks.install(module, installData, type(IValidationModule).interfaceId);
        emit ValidationInstalled(module, config.entityIdOf());
    }

    function _addHook(AccountStorage.Validation storage validation, bytes calldata hook) private {
        bytes25 config = bytes25(hook[:25]);
        bool isValidationHook = config.flagsOf() & Encoding.VALIDATION_HOOK != 0;
        bytes25[] storage list = isValidationHook ? validation.validationHooks : validation.executionHooks;
        uint256 length = list.length;
        for (uint256 i; i < length; ++i) {
            if (isValidationHook && bytes24(list[i]) == bytes24(config)) revert PreValidationHookDuplicate();
            if (list[i] == config) revert ExecutionHookAlreadySet(config);
        }
        if (length == MAX_HOOKS) revert ValidationAssocHookLimitExceeded();
        list.push(config);
        bytes4 interfaceId;
        if (isValidationHook) {
            validation.hasValidationHooks = true;
            interfaceId = type(IValidationHookModule).interfaceId;
        } else {
            validation.hasExecutionHooks = true;
            interfaceId = type(IExecutionHookModule).interfaceId;
        }
        ModuleCallbacks.install(config.moduleOf(), hook[25:], interfaceId);
    }

    function _clear(AccountStorage.Validation storage validation, bytes[] calldata hookData)
        private
        returns (bool isComplete)
    {
        (bytes25[] memory first, bytes25[] memory second) = (validation.validationHooks, validation.executionHooks);
        bytes4[] memory selectors = validation.selectors;
        for (uint256 i; i < selectors.length; ++i) {
            delete validation.isSelected[selectors[i]];
        }
        delete validation.selectors;
        delete validation.validationHooks;
        delete validation.executionHooks;
        (validation.module, validation.flags, validation.isInstalled) = (address(0), 0, false);
        (validation.hasValidationHooks, validation.hasExecutionHooks) = (false, false);

        isComplete = true;
        if (hookData.length == 0) return isComplete;
        if (hookData.length != first.length + second.length) revert ArrayLengthMismatch();
        for (uint256 i; i < hookData.length; ++i) {
            bytes25 hook = i < first.length ? first[i] : second[i - first.length];
            if (!ModuleCallbacks.uninstall(hook.moduleOf(), hookData[i])) isComplete = false;
        }
    }
}
