// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// ERC-1822: what a contract that can serve as a proxy's code answers.
interface IERC1822 {
    function proxiableUUID() external view returns (bytes32);
}

/// A proxy's code that can replace itself (ERC-1822 over the slots of ERC-1967).
abstract contract Upgradeable is IERC1822 {
    // The events of ERC-1967; a proxy of this kind only ever emits the first.
    event Upgraded(address indexed implementation);
    event AdminChanged(address previousAdmin, address newAdmin);
    event BeaconUpgraded(address indexed beacon);

    // keccak256("eip1967.proxy.implementation") - 1
    bytes32 private constant IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    address private immutable _self = address(this);

    /// An upgrade of the code itself, rather than of a proxy, would let anyone take it away from every account.
    modifier onlyProxy() {
        require(address(this) != _self, "Upgradeable: only through a proxy");
        _;
    }

    function proxiableUUID() external view returns (bytes32) {
        // A proxy that answered this could become another proxy's code and call itself for ever (ERC-1822).
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
        if (data.length == 0) return;
        (bool success, bytes memory result) = newImplementation.delegatecall(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }

    /// Reverts unless the caller may change the code.
    function _authorizeUpgrade(address newImplementation) internal view virtual;

    function _upgrade(address newImplementation) private {
        require(newImplementation.code.length != 0, "Upgradeable: no code at the new implementation");
        // Code without this answer could not be upgraded again: the account would be stuck.
        try IERC1822(newImplementation).proxiableUUID() returns (bytes32 slot) {
            require(slot == IMPLEMENTATION_SLOT, "Upgradeable: other slot");
        } catch {
            revert("Upgradeable: not upgradeable code");
        }
        bytes32 target = IMPLEMENTATION_SLOT;
        assembly ("memory-safe") {
            sstore(target, newImplementation)
        }
        emit Upgraded(newImplementation);
    }
}
