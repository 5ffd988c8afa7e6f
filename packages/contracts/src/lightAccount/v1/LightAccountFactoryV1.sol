// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LightAccountV1} from "./LightAccountV1.sol";
import {LightAccountV1_0_1} from "./LightAccountV1_0_1.sol";
import {LightAccountV1_0_2} from "./LightAccountV1_0_2.sol";
import {LightAccountV1_1_0} from "./LightAccountV1_1_0.sol";
import {ProxyCode} from "./ProxyCode.sol";

/// Deploys proxies of one version 1 of LightAccount with CREATE2, at the addresses they have on public chains. For
/// local and private chains. Unaudited.
abstract contract LightAccountFactoryV1 {
    LightAccountV1 public immutable accountImplementation;

    constructor(LightAccountV1 implementation) {
        accountImplementation = implementation;
    }

    /// Deploys the account of `owner` and `salt`, or returns the existing one: getSenderAddress of the entry point and
    /// clients that race themselves rely on that.
    function createAccount(address owner, uint256 salt) external returns (LightAccountV1 ret) {
        bytes memory code = _initCode(owner);
        address account = _addressOf(code, salt);
        ret = LightAccountV1(payable(account));
        if (account.code.length != 0) return ret;
        assembly ("memory-safe") {
            if iszero(create2(0, add(code, 0x20), mload(code), salt)) {
                let free := mload(0x40)
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }

    /// Returns the address of the account of `owner` and `salt`, deployed or not.
    function getAddress(address owner, uint256 salt) external view returns (address) {
        return _addressOf(_initCode(owner), salt);
    }

    /// Computes a CREATE2 address (EIP-1014).
    function _addressOf(bytes memory code, uint256 salt) private view returns (address) {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(code)));
        return address(uint160(uint256(hash)));
    }

    function _initCode(address owner) private view returns (bytes memory) {
        return abi.encodePacked(
            ProxyCode.ERC1967,
            abi.encode(address(accountImplementation), abi.encodeCall(LightAccountV1.initialize, (owner)))
        );
    }
}

contract LightAccountFactoryV1_0_1 is LightAccountFactoryV1 {
    constructor(address _entryPoint) LightAccountFactoryV1(new LightAccountV1_0_1(_entryPoint)) {}
}

contract LightAccountFactoryV1_0_2 is LightAccountFactoryV1 {
    constructor(address _entryPoint) LightAccountFactoryV1(new LightAccountV1_0_2(_entryPoint)) {}
}

contract LightAccountFactoryV1_1_0 is LightAccountFactoryV1 {
    constructor(address _entryPoint) LightAccountFactoryV1(new LightAccountV1_1_0(_entryPoint)) {}
}
