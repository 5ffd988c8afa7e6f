// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1822, Proxiable} from "./Proxiable.sol";

/// A proxy's code that can replace itself (ERC-1822 over the slot of ERC-1967), with named errors and one entrance.
abstract contract UupsUpgradeable is Proxiable {
    error UnauthorizedCallContext();
    error UpgradeFailed();

    /// An upgrade of the code itself, rather than of a proxy, would take it away from every account.
    modifier onlyProxy() {
        if (address(this) == _self) revert UnauthorizedCallContext();
        _;
    }

    function proxiableUUID() external view returns (bytes32) {
        // A proxy that supported this could become another proxy's code and call itself without end (ERC-1822).
        if (address(this) != _self) revert UnauthorizedCallContext();
        return IMPLEMENTATION_SLOT;
    }

    /// Upgrades, then calls the new code with `data` in the same transaction, unless `data` is empty.
    function upgradeToAndCall(address newImplementation, bytes calldata data) public payable virtual onlyProxy {
        _authorizeUpgrade(newImplementation);
        _requireUpgradeable(newImplementation);
        _setImplementation(newImplementation);
        _callImplementation(newImplementation, data);
    }

    /// Code that does not return this, or no code at all, could not be upgraded again: the account would be stuck.
    function _requireUpgradeable(address newImplementation) private view {
        (bool success, bytes memory result) =
            newImplementation.staticcall(abi.encodeCall(IERC1822.proxiableUUID, ()));
        if (!success || result.length != 32 || abi.decode(result, (bytes32)) != IMPLEMENTATION_SLOT) {
            revert UpgradeFailed();
        }
    }
}
