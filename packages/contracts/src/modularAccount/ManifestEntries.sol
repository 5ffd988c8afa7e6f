// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountState} from "./AccountState.sol";
import {HookList} from "./HookList.sol";
import {NativeSelectors} from "./NativeSelectors.sol";
import {FunctionReference} from "./erc6900/FunctionReference.sol";
import {IPlugin} from "./erc6900/IPlugin.sol";
import {
    ManifestAssociatedFunction,
    ManifestAssociatedFunctionType,
    ManifestExecutionHook,
    ManifestExternalCallPermission,
    ManifestFunction,
    PluginManifest
} from "./erc6900/PluginManifest.sol";

/// Adds the entries of a manifest to the account, and removes exactly these.
abstract contract ManifestEntries is AccountState {
    using HookList for uint64[];

    error DuplicateHookLimitExceeded(bytes4 selector, bytes21 hook);
    error DuplicatePreRuntimeValidationHookLimitExceeded(bytes4 selector, bytes21 hook);
    error DuplicatePreUserOpValidationHookLimitExceeded(bytes4 selector, bytes21 hook);
    error Erc4337FunctionNotAllowed(bytes4 selector);
    error ExecutionFunctionAlreadySet(bytes4 selector);
    error IPluginFunctionNotAllowed(bytes4 selector);
    error InterfaceNotAllowed();
    error InvalidPluginManifest();
    error NativeFunctionNotAllowed(bytes4 selector);
    error NullFunctionReference();
    error RuntimeValidationFunctionAlreadySet(bytes4 selector, bytes21 validationFunction);
    error UserOpValidationFunctionAlreadySet(bytes4 selector, bytes21 validationFunction);

    /// Holds the plugin of a manifest, and its dependencies.
    struct Origin {
        address plugin;
        uint16 number;
        uint24[] dependencies;
    }

    function _enterManifest(PluginManifest memory manifest, Origin memory origin) internal {
        _enterInterfaces(manifest.interfaceIds);
        _enterFunctions(manifest.executionFunctions, origin.number);
        _setPermissions(manifest, origin.plugin, true);
        _enterValidations(manifest, origin);
        _enterHooks(manifest, origin);
    }

    function _leaveManifest(PluginManifest memory manifest, Origin memory origin) internal {
        State storage state = _state();
        _leaveHooks(manifest, origin);
        for (uint256 i; i < manifest.runtimeValidationFunctions.length; ++i) {
            state.selectors[manifest.runtimeValidationFunctions[i].executionSelector].runtimeValidation = NONE;
        }
        for (uint256 i; i < manifest.userOpValidationFunctions.length; ++i) {
            state.selectors[manifest.userOpValidationFunctions[i].executionSelector].userOpValidation = NONE;
        }
        _setPermissions(manifest, origin.plugin, false);
        for (uint256 i; i < manifest.executionFunctions.length; ++i) {
            state.selectors[manifest.executionFunctions[i]].plugin = 0;
        }
        for (uint256 i; i < manifest.interfaceIds.length; ++i) {
            --state.interfaces[manifest.interfaceIds[i]];
        }
    }

    function _enterInterfaces(bytes4[] memory interfaceIds) private {
        for (uint256 i; i < interfaceIds.length; ++i) {
            bytes4 id = interfaceIds[i];
            // Accounts could not call an account that claims to be a plugin; 0xffffffff is not an id (ERC-165).
            if (id == type(IPlugin).interfaceId || id == 0xffffffff) revert InterfaceNotAllowed();
            ++_state().interfaces[id];
        }
    }

    function _enterFunctions(bytes4[] memory selectors, uint16 number) private {
        for (uint256 i; i < selectors.length; ++i) {
            bytes4 selector = selectors[i];
            if (NativeSelectors.contains(selector)) revert NativeFunctionNotAllowed(selector);
            if (NativeSelectors.isPlugins(selector)) revert IPluginFunctionNotAllowed(selector);
            if (NativeSelectors.isEntryPoints(selector)) revert Erc4337FunctionNotAllowed(selector);
            SelectorConfig storage config = _state().selectors[selector];
            if (config.plugin != 0) revert ExecutionFunctionAlreadySet(selector);
            config.plugin = number;
        }
    }

    function _setPermissions(PluginManifest memory manifest, address plugin, bool permitted) private {
        State storage state = _state();
        bytes4[] memory selectors = manifest.permittedExecutionSelectors;
        for (uint256 i; i < selectors.length; ++i) {
            state.permittedSelectors[plugin][selectors[i]] = permitted;
        }
        for (uint256 i; i < manifest.permittedExternalCalls.length; ++i) {
            ManifestExternalCallPermission memory asked = manifest.permittedExternalCalls[i];
            ExternalPermission storage permission = state.permittedCalls[plugin][asked.externalAddress];
            if (asked.permitAnySelector) permission.anySelector = permitted;
            for (uint256 j; j < asked.selectors.length; ++j) {
                permission.selectors[asked.selectors[j]] = permitted;
            }
        }
    }

    function _enterValidations(PluginManifest memory manifest, Origin memory origin) private {
        State storage state = _state();
        for (uint256 i; i < manifest.userOpValidationFunctions.length; ++i) {
            ManifestAssociatedFunction memory entry = manifest.userOpValidationFunctions[i];
            SelectorConfig storage config = state.selectors[entry.executionSelector];
            uint24 asked = _resolveSome(entry.associatedFunction, origin, ManifestAssociatedFunctionType.SELF);
            if (config.userOpValidation != NONE) {
                revert UserOpValidationFunctionAlreadySet(entry.executionSelector, _raw(asked));
            }
            config.userOpValidation = asked;
        }
        for (uint256 i; i < manifest.runtimeValidationFunctions.length; ++i) {
            ManifestAssociatedFunction memory entry = manifest.runtimeValidationFunctions[i];
            SelectorConfig storage config = state.selectors[entry.executionSelector];
            uint24 asked = _resolveSome(
                entry.associatedFunction, origin, ManifestAssociatedFunctionType.RUNTIME_VALIDATION_ALWAYS_ALLOW
            );
            if (config.runtimeValidation != NONE) {
                revert RuntimeValidationFunctionAlreadySet(entry.executionSelector, _raw(asked));
            }
            config.runtimeValidation = asked;
        }
    }

    function _enterHooks(PluginManifest memory manifest, Origin memory origin) private {
        State storage state = _state();
        for (uint256 i; i < manifest.preUserOpValidationHooks.length; ++i) {
            (bytes4 selector, uint24 hook) = _hookOf(manifest.preUserOpValidationHooks[i], origin);
            state.selectors[selector].hasUserOpHooks = true;
            if (!state.userOpHooks[selector].add(hook, NONE)) {
                revert DuplicatePreUserOpValidationHookLimitExceeded(selector, _raw(hook));
            }
        }
        for (uint256 i; i < manifest.preRuntimeValidationHooks.length; ++i) {
            (bytes4 selector, uint24 hook) = _hookOf(manifest.preRuntimeValidationHooks[i], origin);
            state.selectors[selector].hasRuntimeHooks = true;
            if (!state.runtimeHooks[selector].add(hook, NONE)) {
                revert DuplicatePreRuntimeValidationHookLimitExceeded(selector, _raw(hook));
            }
        }
        for (uint256 i; i < manifest.executionHooks.length; ++i) {
            bytes4 selector = manifest.executionHooks[i].executionSelector;
            (uint24 before, uint24 afterwards) = _hooksOf(manifest.executionHooks[i], origin);
            state.selectors[selector].hasExecutionHooks = true;
            if (!state.executionHooks[selector].add(before, afterwards)) {
                revert DuplicateHookLimitExceeded(selector, _raw(before == NONE ? afterwards : before));
            }
        }
    }

    function _leaveHooks(PluginManifest memory manifest, Origin memory origin) private {
        State storage state = _state();
        for (uint256 i; i < manifest.executionHooks.length; ++i) {
            bytes4 selector = manifest.executionHooks[i].executionSelector;
            (uint24 before, uint24 afterwards) = _hooksOf(manifest.executionHooks[i], origin);
            state.executionHooks[selector].remove(before, afterwards);
            state.selectors[selector].hasExecutionHooks = state.executionHooks[selector].length != 0;
        }
        for (uint256 i; i < manifest.preRuntimeValidationHooks.length; ++i) {
            (bytes4 selector, uint24 hook) = _hookOf(manifest.preRuntimeValidationHooks[i], origin);
            state.runtimeHooks[selector].remove(hook, NONE);
            state.selectors[selector].hasRuntimeHooks = state.runtimeHooks[selector].length != 0;
        }
        for (uint256 i; i < manifest.preUserOpValidationHooks.length; ++i) {
            (bytes4 selector, uint24 hook) = _hookOf(manifest.preUserOpValidationHooks[i], origin);
            state.userOpHooks[selector].remove(hook, NONE);
            state.selectors[selector].hasUserOpHooks = state.userOpHooks[selector].length != 0;
        }
    }

    function _hookOf(ManifestAssociatedFunction memory entry, Origin memory origin)
        private
        pure
        returns (bytes4 selector, uint24 hook)
    {
        _requireOwn(entry.associatedFunction);
        hook = _resolveSome(
            entry.associatedFunction, origin, ManifestAssociatedFunctionType.PRE_HOOK_ALWAYS_DENY
        );
        return (entry.executionSelector, hook);
    }

    /// Returns both hooks of an entry. One may be missing.
    function _hooksOf(ManifestExecutionHook memory entry, Origin memory origin)
        private
        pure
        returns (uint24 before, uint24 afterwards)
    {
        _requireOwn(entry.preExecHook);
        _requireOwn(entry.postExecHook);
        before = _resolve(entry.preExecHook, origin, ManifestAssociatedFunctionType.PRE_HOOK_ALWAYS_DENY);
        afterwards = _resolve(entry.postExecHook, origin, ManifestAssociatedFunctionType.SELF);
        if (before == NONE && afterwards == NONE) revert NullFunctionReference();
    }

    /// Refuses hooks of other plugins: a plugin may only add its own code around a function.
    function _requireOwn(ManifestFunction memory hook) private pure {
        if (hook.functionType == ManifestAssociatedFunctionType.DEPENDENCY) revert InvalidPluginManifest();
    }

    function _resolveSome(
        ManifestFunction memory asked,
        Origin memory origin,
        ManifestAssociatedFunctionType allowedRule
    ) private pure returns (uint24 resolved) {
        resolved = _resolve(asked, origin, allowedRule);
        if (resolved == NONE) revert NullFunctionReference();
    }

    /// Packs the requested function. `allowedRule` is the one fixed rule that fits here, or SELF if none does.
    function _resolve(ManifestFunction memory asked, Origin memory origin, ManifestAssociatedFunctionType allowedRule)
        private
        pure
        returns (uint24)
    {
        ManifestAssociatedFunctionType kind = asked.functionType;
        if (kind == ManifestAssociatedFunctionType.NONE) return NONE;
        if (kind == ManifestAssociatedFunctionType.SELF) return _packFunction(origin.number, asked.functionId);
        if (kind == ManifestAssociatedFunctionType.DEPENDENCY) {
            if (asked.dependencyIndex >= origin.dependencies.length) revert InvalidPluginManifest();
            return origin.dependencies[asked.dependencyIndex];
        }
        if (kind != allowedRule) revert InvalidPluginManifest();
        return kind == ManifestAssociatedFunctionType.PRE_HOOK_ALWAYS_DENY ? ALWAYS_DENY : ALWAYS_ALLOW;
    }

    function _raw(uint24 packed) private view returns (bytes21) {
        return FunctionReference.unwrap(_toReference(packed));
    }
}
