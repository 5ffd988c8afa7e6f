// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1822, Proxiable} from "./Proxiable.sol";

/// A proxy's code that can replace itself (ERC-1822 over the slots of ERC-1967).
abstract contract Upgradeable is Proxiable {
    // The other events of ERC-1967, which the published ABI names; nothing here emits them.
    event AdminChanged(address previousAdmin, address newAdmin);
    event BeaconUpgraded(address indexed beacon);

    /// An upgrade of the code itself, rather than of a proxy, would let anyone take it away from every account.
    modifier onlyProxy() {
        require(address(this) != _self, "Function must be called through delegatecall");
        _;
    }

    function proxiableUUID() external view returns (bytes32) {
        // A proxy that supported this could become another proxy's code and call itself without end (ERC-1822).
        require(address(this) == _self, "Upgradeable: not through a proxy");
        return IMPLEMENTATION_SLOT;
    }

    function upgradeTo(address newImplementation) external onlyProxy {
        _authorizeUpgrade(newImplementation);
        _upgrade(newImplementation);
    }

    /// Upgrades, then calls the new code with `data` in the same transaction, unless `data` is empty.
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
