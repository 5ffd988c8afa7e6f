// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SignedMessage} from "../../common/SignedMessage.sol";
import {LightAccountV1} from "./LightAccountV1.sol";

/// Implements a light account whose owner signs a digest wrapped in the account's own domain (EIP-712).
abstract contract MessageAccountV1 is LightAccountV1, SignedMessage {
    string internal constant NAME = "LightAccount";
    string internal constant VERSION = "1";

    constructor(address anEntryPoint) LightAccountV1(anEntryPoint) SignedMessage(NAME, VERSION) {}

    /// Verifies a wrapped digest (ERC-1271). Never reverts.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return _judge(getMessageHash(abi.encode(digest)), signature);
    }

    /// Returns the bytes whose hash the owner signs.
    function encodeMessageData(bytes memory message) external view returns (bytes memory) {
        return _encodeMessage(message);
    }

    function domainSeparator() external view returns (bytes32) {
        return _domainSeparator();
    }
}
