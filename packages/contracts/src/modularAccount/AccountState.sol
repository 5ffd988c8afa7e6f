// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {FunctionReference, fromFunctionReference, toFunctionReference} from "./erc6900/FunctionReference.sol";

/// Stores the state of the account in its own namespace (ERC-7201).
///
/// Every plugin has a number, counted up from 1 with each install and never reused, so that leftovers cannot refer to
/// another plugin. A function of a plugin then fits 24 bits, the number and the function's id, and all data about a
/// selector fit one slot. Number 0 stands for no plugin: id 1 always allows, id 2 always denies.
abstract contract AccountState {
    struct SelectorConfig {
        /// Plugin that serves it; 0 for the account's own functions and for those without one.
        uint16 plugin;
        uint24 userOpValidation;
        uint24 runtimeValidation;
        bool hasUserOpHooks;
        bool hasRuntimeHooks;
        bool hasExecutionHooks;
    }

    struct PluginConfig {
        /// Zero if it is not installed.
        uint16 number;
        bool permitAnyExternalAddress;
        bool canSpendNativeToken;
        /// Number of installed plugins that depend on this one, counted once for each function they named.
        uint64 dependents;
        bytes32 manifestHash;
        uint24[] dependencies;
    }

    struct ExternalPermission {
        bool anySelector;
        mapping(bytes4 selector => bool) selectors;
    }

    /// @custom:storage-location erc7201:latchkey.storage.UpgradeableModularAccount
    struct State {
        uint16 lastNumber;
        mapping(uint256 number => address) plugins;
        mapping(address plugin => PluginConfig) configs;
        mapping(bytes4 selector => SelectorConfig) selectors;
        /// Entries of HookList.
        mapping(bytes4 selector => uint64[]) userOpHooks;
        mapping(bytes4 selector => uint64[]) runtimeHooks;
        mapping(bytes4 selector => uint64[]) executionHooks;
        mapping(address plugin => mapping(bytes4 selector => bool)) permittedSelectors;
        mapping(address plugin => mapping(address target => ExternalPermission)) permittedCalls;
        /// Number of installed plugins that added each ERC-165 id.
        mapping(bytes4 interfaceId => uint256) interfaces;
    }

    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.UpgradeableModularAccount")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0x3de4535a120bc516d74a9a518280fce616aef50765368f98c97771e8bacd2c00;

    uint24 internal constant NONE = 0;
    uint24 internal constant ALWAYS_ALLOW = 1;
    uint24 internal constant ALWAYS_DENY = 2;

    function _state() internal pure returns (State storage state) {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            state.slot := slot
        }
    }

    /// Returns the plugin and the id of a function.
    function _open(uint24 packed) internal view returns (address plugin, uint8 functionId) {
        return (_state().plugins[packed >> 8], uint8(packed));
    }

    function _toReference(uint24 packed) internal view returns (FunctionReference) {
        (address plugin, uint8 functionId) = _open(packed);
        return toFunctionReference(plugin, functionId);
    }

    /// Packs a function of an installed plugin; number 0 for a plugin that is not installed.
    function _pack(FunctionReference given) internal view returns (address plugin, uint24 packed) {
        uint8 functionId;
        (plugin, functionId) = fromFunctionReference(given);
        packed = _packFunction(_state().configs[plugin].number, functionId);
    }

    function _packFunction(uint16 number, uint8 functionId) internal pure returns (uint24) {
        return uint24(number) << 8 | functionId;
    }
}
