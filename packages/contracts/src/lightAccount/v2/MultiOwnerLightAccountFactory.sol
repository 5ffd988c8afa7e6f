// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LightAccountFactoryV2Base} from "./LightAccountFactoryV2Base.sol";
import {MultiOwnerLightAccount} from "./MultiOwnerLightAccount.sol";

/// Deploys MultiOwnerLightAccount v2.0.0 proxies. For local and private chains. Unaudited.
contract MultiOwnerLightAccountFactory is LightAccountFactoryV2Base {
    error InvalidOwners();
    error OwnersArrayEmpty();
    error OwnersLimitExceeded();

    /// Limits the owners of a new account, since more could make its creation too expensive for a block. An existing
    /// account may have any number.
    uint256 private constant MAX_OWNERS = 100;

    constructor(address owner, address entryPoint)
        LightAccountFactoryV2Base(owner, entryPoint, address(new MultiOwnerLightAccount(entryPoint)))
    {}

    /// Deploys the account of `owners` and `salt`, or returns the existing one. Owners are in strictly ascending order,
    /// so that a set of owners has one address.
    function createAccount(address[] calldata owners, uint256 salt)
        external
        returns (MultiOwnerLightAccount account)
    {
        _requireOwners(owners);
        return _create(owners, salt);
    }

    /// Calls createAccount with a list of one.
    function createAccountSingle(address owner, uint256 salt) external returns (MultiOwnerLightAccount account) {
        address[] memory owners = new address[](1);
        owners[0] = owner;
        return _create(owners, salt);
    }

    /// Returns the address of the account of `owners` and `salt`, deployed or not. Reverts for invalid owners.
    function getAddress(address[] calldata owners, uint256 salt) external view returns (address) {
        _requireOwners(owners);
        return _addressOf(_combinedSalt(owners, salt));
    }

    function _create(address[] memory owners, uint256 salt) private returns (MultiOwnerLightAccount account) {
        (address deployed, bool existed) = _deploy(_combinedSalt(owners, salt));
        account = MultiOwnerLightAccount(payable(deployed));
        if (!existed) account.initialize(owners);
    }

    function _combinedSalt(address[] memory owners, uint256 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(owners, salt));
    }

    /// Checks that the first is above zero, and every other above the one before.
    function _requireOwners(address[] calldata owners) private pure {
        if (owners.length == 0) revert OwnersArrayEmpty();
        if (owners.length > MAX_OWNERS) revert OwnersLimitExceeded();
        address last = address(0);
        for (uint256 i; i < owners.length; ++i) {
            if (owners[i] <= last) revert InvalidOwners();
            last = owners[i];
        }
    }
}
