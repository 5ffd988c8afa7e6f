// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1822, Proxiable} from "./Proxiable.sol";

/// Lets the code of a proxy replace itself (ERC-1822 over the slots of ERC-1967).
abstract contract Upgradeable is Proxiable {
    // The published ABI names these events of ERC-1967; nothing here emits them.
    event AdminChanged(address previousAdmin, address newAdmin);
    event BeaconUpgraded(address indexed beacon);

    /// Refuses direct calls: upgrading the code itself would let anyone take it away from every account.
    modifier onlyProxy() {
        require(address(this) != _self, "Function must be called through delegatecall");
        _;
    }

    function proxiableUUID() external view returns (bytes32) {
        // A proxy that supported this could become the code of another proxy and call itself without end (ERC-1822).
        require(address(this) == _self, "Upgradeable: not through a proxy");
        return IMPLEMENTATION_SLOT;
    }

    function upgradeTo(address newImplementation) external onlyProxy {
        _authorizeUpgrade(newImplementation);
        _upgrade(newImplementation);
    }

    /// Upgrades, then calls the new code with `data` in the same transaction unless it is empty.
    function upgradeToAndCall(address newImplementation, bytes calldata data) external payable onlyProxy {
        _authorizeUpgrade(newImplementation);
        _upgrade(newImplementation);
        _callImplementation(newImplementation, data);
    }

    function _upgrade(address newImplementation) private {
        require(newImplementation.code.length != 0, "Upgradeable: no code at the new implementation");
        // Code that does not return this could not be upgraded again: the account would be stuck.
        try IERC1822(newImplementation).proxiableUUID() returns (bytes32 slot) {
            require(slot == IMPLEMENTATION_SLOT, "Upgradeable: other slot");
        } catch {
            revert("Upgradeable: not upgradeable code");
        }
        _setImplementation(newImplementation);
    }
}
