// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1822} from "./Upgradeable.sol";

/// A proxy's code that can replace itself (ERC-1822 over the slot of ERC-1967), with named errors and one entrance.
abstract contract UupsUpgradeable is IERC1822 {
    error UnauthorizedCallContext();
    error UpgradeFailed();

    event Upgraded(address indexed implementation);

    // keccak256("eip1967.proxy.implementation") - 1
    bytes32 private constant IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    address private immutable _self = address(this);

    function proxiableUUID() external view returns (bytes32) {
        // A proxy that answered this could become another proxy's code and call itself for ever (ERC-1822).
        if (address(this) != _self) revert UnauthorizedCallContext();
        return IMPLEMENTATION_SLOT;
    }

    /// Upgrades, then calls the new code with `data` in the same transaction, unless `data` is empty. Reverts on the
    /// code itself: whoever upgraded that would take it away from every account.
    function upgradeToAndCall(address newImplementation, bytes calldata data) external payable {
        if (address(this) == _self) revert UnauthorizedCallContext();
        _authorizeUpgrade(newImplementation);
        _requireUpgradeable(newImplementation);
        bytes32 target = IMPLEMENTATION_SLOT;
        assembly ("memory-safe") {
            sstore(target, newImplementation)
        }
        emit Upgraded(newImplementation);
        if (data.length == 0) return;
        (bool success, bytes memory result) = newImplementation.delegatecall(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }

    /// Reverts unless the caller may change the code.
    function _authorizeUpgrade(address newImplementation) internal view virtual;

    /// Code without this answer, or no code at all, could not be upgraded again: the account would be stuck.
    function _requireUpgradeable(address newImplementation) private view {
        (bool success, bytes memory result) =
            newImplementation.staticcall(abi.encodeCall(IERC1822.proxiableUUID, ()));
        if (!success || result.length != 32 || abi.decode(result, (bytes32)) != IMPLEMENTATION_SLOT) {
            revert UpgradeFailed();
        }
    }
}
