// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LightAccountV1} from "./LightAccountV1.sol";

/// Implements LightAccount v1.0.1. For local and private chains. Unaudited: public chains have the audited contract at
/// the same address.
contract LightAccountV1_0_1 is LightAccountV1 {
    constructor(address anEntryPoint) LightAccountV1(anEntryPoint) {}

    /// Verifies the bare digest (ERC-1271). Never reverts. The signature is valid for every account of that owner,
    /// which later versions prevent.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return _judge(digest, signature);
    }
}
