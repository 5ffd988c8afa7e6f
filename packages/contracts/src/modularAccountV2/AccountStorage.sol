// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Holds the state of modular accounts v2 in its own namespace (ERC-7201). The accounts and the delegate that installs
/// executions share it.
library AccountStorage {
    struct Validation {
        address module;
        uint8 flags;
        bool isInstalled;
        bool hasValidationHooks;
        bool hasExecutionHooks;
        bytes25[] validationHooks;
        bytes25[] executionHooks;
        bytes4[] selectors;
        mapping(bytes4 selector => bool) isSelected;
    }

    struct Execution {
        /// Zero for the account's own functions and for those without a module.
        address module;
        bool skipRuntimeValidation;
        bool allowGlobalValidation;
        bool hasHooks;
        bytes25[] hooks;
    }

    struct Modules {
        /// See `Encoding` for the keys.
        mapping(uint192 key => Validation) validations;
        mapping(bytes4 selector => Execution) executions;
        /// Number of installs that added each ERC-165 id.
        mapping(bytes4 interfaceId => uint256) interfaces;
    }

    /// @custom:storage-location erc7201:latchkey.storage.ModularAccountV2
    struct State {
        address fallbackSigner;
        bool isFallbackDisabled;
        /// The fallback signer's validation may have hooks. Without them, an operation need not look.
        bool hasFallbackHooks;
        /// A module may have added functions, or hooks to the account's own.
        bool hasExecutions;
        /// Increased when the account leaves for another kind of code, so that nothing left behind can act again.
        uint64 generation;
        mapping(uint256 generation => Modules) modules;
    }

    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.ModularAccountV2")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0xe4fef77b98a37e57fdd6e90a37ad4cad6b8329e4bc38b55a52059776f095fd00;

    function state() internal pure returns (State storage found) {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            found.slot := slot
        }
    }

    function modules() internal view returns (Modules storage) {
        State storage found = state();
        return found.modules[found.generation];
    }
}
