// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "./Initializable.sol";

/// Declares the answer of a contract that can serve as code of a proxy (ERC-1822).
interface IERC1822 {
    function proxiableUUID() external view returns (bytes32);
}

/// Replaces the code in the slot of ERC-1967, for every kind of upgradeable contract.
abstract contract Proxiable is IERC1822, Initializable {
    event Upgraded(address indexed implementation);

    // keccak256("eip1967.proxy.implementation") - 1
    bytes32 internal constant IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    address internal immutable _self = address(this);

    /// Reverts unless the caller may change the code.
    function _authorizeUpgrade(address newImplementation) internal view virtual;

    /// Sets the code. Callers first check that the new code is upgradeable.
    function _setImplementation(address newImplementation) internal {
        bytes32 target = IMPLEMENTATION_SLOT;
        assembly ("memory-safe") {
            sstore(target, newImplementation)
        }
        emit Upgraded(newImplementation);
    }

    /// Calls the new code with `data` unless it is empty, and passes on its revert.
    function _callImplementation(address newImplementation, bytes calldata data) internal {
        if (data.length != 0) _delegate(newImplementation, data);
    }

    function _delegate(address newImplementation, bytes calldata data) private whileUpgrading {
        (bool success, bytes memory result) = newImplementation.delegatecall(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }
}
