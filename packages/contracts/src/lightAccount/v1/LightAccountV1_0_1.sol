// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LightAccountV1} from "./LightAccountV1.sol";

/// LightAccount v1.0.1.
/// For local and private chains. Unaudited: public chains have the audited contract at the same address.
contract LightAccountV1_0_1 is LightAccountV1 {
    constructor(address anEntryPoint) LightAccountV1(anEntryPoint) {}

    /// ERC-1271. Never reverts. The owner signs the bare digest: the signature holds for every account of that owner,
    /// which is why later versions do it another way.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return _judge(digest, signature);
    }
}
