// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1822, Proxiable} from "./Proxiable.sol";

/// Lets the code of a proxy replace itself (ERC-1822 over the slot of ERC-1967), with named errors and one function.
abstract contract UupsUpgradeable is Proxiable {
    error UnauthorizedCallContext();
    error UpgradeFailed();

    /// Refuses direct calls: upgrading the code itself would take it away from every account.
    modifier onlyProxy() {
        if (address(this) == _self) revert UnauthorizedCallContext();
        _;
    }

    function proxiableUUID() public view virtual returns (bytes32) {
        // A proxy that supported this could become the code of another proxy and call itself without end (ERC-1822).
        if (address(this) != _self) revert UnauthorizedCallContext();
        return IMPLEMENTATION_SLOT;
    }

    /// Upgrades, then calls the new code with `data` in the same transaction unless it is empty.
    function upgradeToAndCall(address newImplementation, bytes calldata data) public payable virtual onlyProxy {
        _authorizeUpgrade(newImplementation);
        _requireUpgradeable(newImplementation);
        _setImplementation(newImplementation);
        _callImplementation(newImplementation, data);
    }

    /// Refuses code that does not return this, and addresses without code: the account would be stuck.
    function _requireUpgradeable(address newImplementation) private view {
        (bool success, bytes memory result) =
            newImplementation.staticcall(abi.encodeCall(IERC1822.proxiableUUID, ()));
        if (!success || result.length != 32 || abi.decode(result, (bytes32)) != IMPLEMENTATION_SLOT) {
            revert UpgradeFailed();
        }
    }
}
