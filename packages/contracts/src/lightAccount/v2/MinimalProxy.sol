// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Holds the creation code of the proxy: the smallest that is upgradeable by ERC-1967. The address of an account is a
/// hash over these bytes, so they are the bytes of the factories on public chains.
library MinimalProxy {
    // Copies the runtime code behind it, and stores the implementation in the slot of ERC-1967.
    bytes9 private constant HEAD = 0x603d3d8160223d3973;
    // Runtime code: forwards every call to the implementation in that slot.
    bytes internal constant TAIL =
        hex"60095155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3";

    function creationCode(address implementation) internal pure returns (bytes memory) {
        return abi.encodePacked(HEAD, implementation, TAIL);
    }
}
