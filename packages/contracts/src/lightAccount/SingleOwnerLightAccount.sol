// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "../common/Initializable.sol";
import {LightAccountBase} from "./LightAccountBase.sol";

/// Implements a light account with one owner, a key or a contract. The owner, or the account itself, may call
/// transferOwnership.
abstract contract SingleOwnerLightAccount is LightAccountBase {
    event LightAccountInitialized(address indexed entryPoint, address indexed owner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// @custom:storage-location erc7201:latchkey.storage.LightAccount
    struct LightAccountStorage {
        address owner;
    }

    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.LightAccount")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0x437aa32a813492466b304e6401a452d0534811ec018b7a691dffdd525f626700;

    /// All versions are one family: an account keeps its owner when it changes between them.
    constructor() Initializable("LightAccount") {}

    function transferOwnership(address newOwner) external onlyAdministrator {
        address previous = owner();
        // An account that owned itself could never be controlled again.
        if (newOwner == address(0) || newOwner == address(this) || newOwner == previous) revert InvalidOwner(newOwner);
        _lightAccountStorage().owner = newOwner;
        emit OwnershipTransferred(previous, newOwner);
    }

    function owner() public view returns (address) {
        return _lightAccountStorage().owner;
    }

    /// Sets the owner, during initialization only.
    function _setFirstOwner(address owner_) internal {
        if (owner_ == address(0) || owner_ == address(this)) revert InvalidOwner(owner_);
        _lightAccountStorage().owner = owner_;
        emit LightAccountInitialized(entryPoint(), owner_);
        emit OwnershipTransferred(address(0), owner_);
    }

    function _leave() internal virtual override {
        delete _lightAccountStorage().owner;
    }

    function _isOwner(address caller) internal view override returns (bool) {
        return caller == owner();
    }

    function _lightAccountStorage() private view returns (LightAccountStorage storage state) {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            state.slot := slot
        }
    }
}
