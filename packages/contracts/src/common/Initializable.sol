// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// One-time set-up for contracts behind a proxy. Its state lives in its own namespace (ERC-7201).
abstract contract Initializable {
    error InvalidInitialization();
    error NotInitializing();

    event Initialized(uint64 version);

    /// @custom:storage-location erc7201:latchkey.storage.Initializable
    struct InitializableStorage {
        uint64 version;
        bool initializing;
    }

    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.Initializable")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0x4154d13e59cb2c905054eef1f0c1840fdf36a46c7d2b6559f2075f6ce72ab000;

    /// Runs the function once, and never on a contract whose initializers were disabled.
    modifier initializer() {
        InitializableStorage storage state = _initializableStorage();
        if (state.version != 0 || state.initializing) revert InvalidInitialization();
        state.version = 1;
        state.initializing = true;
        _;
        state.initializing = false;
        emit Initialized(1);
    }

    /// Guards set-up steps that belong to an initializer alone.
    modifier onlyInitializing() {
        if (!_initializableStorage().initializing) revert NotInitializing();
        _;
    }

    /// Locks a contract that only serves as code for proxies.
    function _disableInitializers() internal {
        _initializableStorage().version = type(uint64).max;
        emit Initialized(type(uint64).max);
    }

    function _initializableStorage() private pure returns (InitializableStorage storage state) {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            state.slot := slot
        }
    }
}
