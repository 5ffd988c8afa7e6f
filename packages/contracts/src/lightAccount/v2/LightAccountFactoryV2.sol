// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LightAccountFactoryV2Base} from "./LightAccountFactoryV2Base.sol";
import {LightAccountV2} from "./LightAccountV2.sol";

/// Deploys LightAccount v2.0.0 proxies. For local and private chains. Unaudited.
contract LightAccountFactoryV2 is LightAccountFactoryV2Base {
    constructor(address owner, address entryPoint)
        LightAccountFactoryV2Base(owner, entryPoint, address(new LightAccountV2(entryPoint)))
    {}

    /// Deploys the account of `owner` and `salt`, or returns the existing one.
    function createAccount(address owner, uint256 salt) external returns (LightAccountV2 account) {
        (address deployed, bool existed) = _deploy(_combinedSalt(owner, salt));
        account = LightAccountV2(payable(deployed));
        if (!existed) account.initialize(owner);
    }

    /// Returns the address of the account of `owner` and `salt`, deployed or not.
    function getAddress(address owner, uint256 salt) external view returns (address) {
        return _addressOf(_combinedSalt(owner, salt));
    }

    function _combinedSalt(address owner, uint256 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(owner, salt));
    }
}
