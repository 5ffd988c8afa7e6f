// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MessageAccountV1} from "./MessageAccountV1.sol";

/// Implements LightAccount v1.0.2. For local and private chains. Unaudited: public chains have the audited contract at
/// the same address.
contract LightAccountV1_0_2 is MessageAccountV1 {
    constructor(address anEntryPoint) MessageAccountV1(anEntryPoint) {}

    /// Encodes name and version where EIP-712 requires their hashes, as the public contract does. No wallet signs in
    /// such a domain, so ERC-1271 is of no use with this version.
    function _domainSeparator() internal view override returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPE_HASH, abi.encode(NAME), abi.encode(VERSION), block.chainid, address(this))
        );
    }
}
