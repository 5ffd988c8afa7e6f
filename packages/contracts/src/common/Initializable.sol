// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Initializes contracts behind a proxy once. Its state has its own namespace (ERC-7201).
///
/// A proxy is initialized once for each family of code. Another version of the same family finds everything in place
/// and must not start again. Code of another family keeps its state elsewhere and is initialized by the upgrade that
/// brings it; nobody can do so afterwards, so an attacker cannot take over an account between two calls.
abstract contract Initializable {
    error InvalidInitialization();
    // The published ABIs name it; nothing here raises it.
    error NotInitializing();

    event Initialized(uint64 version);

    /// @custom:storage-location erc7201:latchkey.storage.Initializable
    struct InitializableStorage {
        /// Family that the proxy was last initialized for; zero before the first.
        bytes8 family;
        bool upgrading;
    }

    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.Initializable")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0x4154d13e59cb2c905054eef1f0c1840fdf36a46c7d2b6559f2075f6ce72ab000;

    bytes8 private constant NOBODYS = 0xffffffffffffffff;

    bytes8 private immutable _family;

    /// Sets `family`, which names code that shares its storage with other versions of itself. The contract itself is
    /// only code for proxies and can never be initialized.
    constructor(string memory family) {
        _family = bytes8(keccak256(bytes(family)));
        _initializableStorage().family = NOBODYS;
        emit Initialized(type(uint64).max);
    }

    /// Runs the function once: on a new proxy, or during an upgrade from another family.
    modifier initializer() {
        InitializableStorage storage state = _initializableStorage();
        bytes8 family = state.family;
        if (family != 0 && (family == _family || !state.upgrading)) revert InvalidInitialization();
        state.family = _family;
        _;
        emit Initialized(1);
    }

    /// Runs the function on a new proxy, or during any upgrade: within its family, too, code may keep its owners elsewhere.
    modifier initializerOfUpgrade() {
        InitializableStorage storage state = _initializableStorage();
        if (state.family != 0 && !state.upgrading) revert InvalidInitialization();
        (state.family, state.upgrading) = (_family, false);
        _;
        emit Initialized(1);
    }

    /// Allows new code to be initialized during the upgrade that brings it.
    modifier whileUpgrading() {
        InitializableStorage storage state = _initializableStorage();
        state.upgrading = true;
        _;
        state.upgrading = false;
        if (state.family != _family) _leave();
    }

    /// Marks a proxy that no function has initialized as this family's.
    function _claim() internal {
        InitializableStorage storage state = _initializableStorage();
        if (state.family == 0) state.family = _family;
    }

    /// Clears the state when another family takes over, so that nothing left behind can act for the account again.
    function _leave() internal virtual {}

    function _initializableStorage() private pure returns (InitializableStorage storage state) {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            state.slot := slot
        }
    }
}
