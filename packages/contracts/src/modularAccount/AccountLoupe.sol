// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountState} from "./AccountState.sol";
import {HookList} from "./HookList.sol";
import {NativeSelectors} from "./NativeSelectors.sol";
import {FunctionReference} from "./erc6900/FunctionReference.sol";
import {IAccountLoupe} from "./erc6900/IAccountLoupe.sol";

/// Lists what is installed.
abstract contract AccountLoupe is IAccountLoupe, AccountState {
    using HookList for uint64;
    using HookList for uint64[];

    function getExecutionFunctionConfig(bytes4 selector) external view returns (ExecutionFunctionConfig memory config) {
        SelectorConfig storage stored = _state().selectors[selector];
        config.plugin = NativeSelectors.contains(selector) ? address(this) : _state().plugins[stored.plugin];
        config.userOpValidationFunction = _toReference(stored.userOpValidation);
        config.runtimeValidationFunction = _toReference(stored.runtimeValidation);
    }

    function getExecutionHooks(bytes4 selector) external view returns (ExecutionHooks[] memory execHooks) {
        uint64[] memory entries = _state().executionHooks[selector].inRunOrder();
        execHooks = new ExecutionHooks[](entries.length);
        for (uint256 i; i < entries.length; ++i) {
            (uint24 before, uint24 afterwards) = entries[i].unpack();
            execHooks[i] = ExecutionHooks(_toReference(before), _toReference(afterwards));
        }
    }

    function getPreValidationHooks(bytes4 selector)
        external
        view
        returns (
            FunctionReference[] memory preUserOpValidationHooks,
            FunctionReference[] memory preRuntimeValidationHooks
        )
    {
        return (_toReferences(_state().userOpHooks[selector]), _toReferences(_state().runtimeHooks[selector]));
    }

    /// Lists the plugins, newest first.
    function getInstalledPlugins() external view returns (address[] memory pluginAddresses) {
        State storage state = _state();
        uint256 last = state.lastNumber;
        pluginAddresses = new address[](last);
        uint256 count;
        for (uint256 number = last; number > 0; --number) {
            address plugin = state.plugins[number];
            if (plugin != address(0)) pluginAddresses[count++] = plugin;
        }
        assembly ("memory-safe") {
            mstore(pluginAddresses, count)
        }
    }

    function _toReferences(uint64[] memory entries) private view returns (FunctionReference[] memory references) {
        references = new FunctionReference[](entries.length);
        for (uint256 i; i < entries.length; ++i) {
            (uint24 hook,) = entries[i].unpack();
            references[i] = _toReference(hook);
        }
    }
}
