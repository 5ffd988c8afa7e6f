// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IEntryPoint} from "../interfaces/IEntryPoint.sol";
import {AccountState} from "./AccountState.sol";
import {HookList} from "./HookList.sol";
import {IPlugin} from "./erc6900/IPlugin.sol";

/// Runs the checks around a function of the account: the validation of a direct call, and the hooks before and after.
abstract contract AccountHooks is AccountState {
    using HookList for uint64;
    using HookList for uint64[];

    error AlwaysDenyRule();
    error PostExecHookReverted(address plugin, uint8 functionId, bytes revertReason);
    error PreExecHookReverted(address plugin, uint8 functionId, bytes revertReason);
    error PreRuntimeValidationHookFailed(address plugin, uint8 functionId, bytes revertReason);
    error RuntimeValidationFunctionMissing(bytes4 selector);
    error RuntimeValidationFunctionReverted(address plugin, uint8 functionId, bytes revertReason);

    /// Holds a hook that runs afterwards. It is kept in memory, since the function may change the account.
    struct PostHook {
        address plugin;
        uint8 functionId;
        /// Result of the pre-hook.
        bytes context;
    }

    IEntryPoint internal immutable _entryPoint;

    constructor(address entryPoint_) {
        _entryPoint = IEntryPoint(entryPoint_);
    }

    /// Guards the account's own functions. Calls of the entry point were validated as user operations.
    modifier guarded() {
        PostHook[] memory hooks = _enter(msg.sig);
        _;
        _runPostHooks(hooks);
    }

    /// Reverts unless the caller may call `selector`, then runs the hooks before it.
    function _enter(bytes4 selector) internal returns (PostHook[] memory) {
        if (msg.sender != address(_entryPoint)) _validateRuntime(selector);
        return _runPreHooks(selector, msg.data);
    }

    function _runPreHooks(bytes4 selector, bytes calldata data) internal returns (PostHook[] memory hooks) {
        State storage state = _state();
        if (!state.selectors[selector].hasExecutionHooks) return hooks;
        uint64[] memory entries = state.executionHooks[selector].inRunOrder();
        bytes[] memory contexts = new bytes[](entries.length);
        hooks = new PostHook[](entries.length);
        for (uint256 i; i < entries.length; ++i) {
            (uint24 before, uint24 afterwards) = entries[i].unpack();
            uint256 first = _firstWith(entries, before, i);
            contexts[i] = first == i ? _runPreHook(before, data) : contexts[first];
            (hooks[i].plugin, hooks[i].functionId) = _open(afterwards);
            hooks[i].context = contexts[i];
        }
    }

    /// Runs the hooks in the opposite order: the one that began first ends last.
    function _runPostHooks(PostHook[] memory hooks) internal {
        for (uint256 i = hooks.length; i > 0; --i) {
            PostHook memory hook = hooks[i - 1];
            if (hook.plugin == address(0)) continue;
            try IPlugin(hook.plugin).postExecutionHook(hook.functionId, hook.context) {}
            catch (bytes memory reason) {
                revert PostExecHookReverted(hook.plugin, hook.functionId, reason);
            }
        }
    }

    function _validateRuntime(bytes4 selector) private {
        State storage state = _state();
        SelectorConfig storage config = state.selectors[selector];
        if (config.hasRuntimeHooks) _runRuntimeHooks(state.runtimeHooks[selector]);

        uint24 validation = config.runtimeValidation;
        if (validation == NONE) revert RuntimeValidationFunctionMissing(selector);
        if (validation == ALWAYS_ALLOW) return;
        (address plugin, uint8 functionId) = _open(validation);
        try IPlugin(plugin).runtimeValidationFunction(functionId, msg.sender, msg.value, msg.data) {}
        catch (bytes memory reason) {
            revert RuntimeValidationFunctionReverted(plugin, functionId, reason);
        }
    }

    function _runRuntimeHooks(uint64[] memory entries) private {
        for (uint256 i; i < entries.length; ++i) {
            (uint24 hook,) = entries[i].unpack();
            if (hook == ALWAYS_DENY) revert AlwaysDenyRule();
            (address plugin, uint8 functionId) = _open(hook);
            try IPlugin(plugin).preRuntimeValidationHook(functionId, msg.sender, msg.value, msg.data) {}
            catch (bytes memory reason) {
                revert PreRuntimeValidationHookFailed(plugin, functionId, reason);
            }
        }
    }

    function _runPreHook(uint24 hook, bytes calldata data) private returns (bytes memory context) {
        if (hook == NONE) return context;
        if (hook == ALWAYS_DENY) revert AlwaysDenyRule();
        (address plugin, uint8 functionId) = _open(hook);
        try IPlugin(plugin).preExecutionHook(functionId, msg.sender, msg.value, data) returns (bytes memory answer) {
            return answer;
        } catch (bytes memory reason) {
            revert PreExecHookReverted(plugin, functionId, reason);
        }
    }

    /// Returns the first entry with the same hook before, which runs once for all entries that share it.
    function _firstWith(uint64[] memory entries, uint24 before, uint256 index) private pure returns (uint256 first) {
        if (before == NONE) return index;
        for (; first < index; ++first) {
            (uint24 other,) = entries[first].unpack();
            if (other == before) break;
        }
    }
}
