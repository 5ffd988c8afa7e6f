// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LightAccountBase} from "./LightAccountBase.sol";

/// A light account with one owner, a key or a contract. The owner, or the account itself, may call transferOwnership.
abstract contract SingleOwnerLightAccount is LightAccountBase {
    event LightAccountInitialized(address indexed entryPoint, address indexed owner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// Lies at the slot the version gives: that of its own namespace (ERC-7201).
    struct LightAccountStorage {
        address owner;
    }

    bytes32 private immutable _storageSlot;

    constructor(address entryPoint_, string memory domainVersion, bytes32 storageSlot)
        LightAccountBase(entryPoint_, domainVersion)
    {
        _storageSlot = storageSlot;
    }

    function transferOwnership(address newOwner) external onlyOwner {
        address previous = owner();
        // The account as its own owner could never be spoken for again.
        if (newOwner == address(0) || newOwner == address(this) || newOwner == previous) revert InvalidOwner(newOwner);
        _lightAccountStorage().owner = newOwner;
        emit OwnershipTransferred(previous, newOwner);
    }

    function owner() public view returns (address) {
        return _lightAccountStorage().owner;
    }

    function _setFirstOwner(address owner_) internal onlyInitializing {
        if (owner_ == address(0) || owner_ == address(this)) revert InvalidOwner(owner_);
        _lightAccountStorage().owner = owner_;
        emit LightAccountInitialized(entryPoint(), owner_);
        emit OwnershipTransferred(address(0), owner_);
    }

    function _isOwner(address caller) internal view override returns (bool) {
        return caller == owner();
    }

    function _lightAccountStorage() private view returns (LightAccountStorage storage state) {
        bytes32 slot = _storageSlot;
        assembly ("memory-safe") {
            state.slot := slot
        }
    }
}
