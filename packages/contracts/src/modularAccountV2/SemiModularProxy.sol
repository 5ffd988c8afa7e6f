// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MinimalProxy} from "../lightAccount/v2/MinimalProxy.sol";

/// Holds the creation code of a semi-modular account's proxy: the minimal one with the owner behind its code. The address
/// of an account is a hash over these bytes, so they are the bytes of the factory on public chains.
library SemiModularProxy {
    // Copies the runtime code behind it, 20 bytes more than that of the minimal proxy.
    bytes10 private constant HEAD = 0x6100513d8160233d3973;

    function creationCode(address implementation, address owner) internal pure returns (bytes memory) {
        return abi.encodePacked(HEAD, implementation, MinimalProxy.TAIL, owner);
    }
}
