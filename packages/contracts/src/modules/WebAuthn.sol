// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {P256} from "./P256.sol";

/// Verifies assertions of passkeys (WebAuthn Level 3, section 7.2), as far as a contract can: it knows neither the origin
/// nor the relying party. The user is present; whether it verified the user is the authenticator's matter.
library WebAuthn {
    struct Assertion {
        bytes authenticatorData;
        string clientDataJSON;
        /// Where `"challenge":"` begins in clientDataJSON.
        uint256 challengeIndex;
        /// Where `"type":"` begins.
        uint256 typeIndex;
        uint256 r;
        uint256 s;
    }

    bytes1 private constant USER_PRESENT = 0x01;
    /// Hash of the relying party (32), flags (1), counter (4).
    uint256 private constant SHORTEST = 37;

    bytes private constant TYPE = '"type":"webauthn.get"';
    bytes private constant ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    function verify(bytes32 challenge, Assertion memory assertion, uint256 x, uint256 y)
        internal
        view
        returns (bool)
    {
        bytes memory authenticatorData = assertion.authenticatorData;
        bytes memory clientData = bytes(assertion.clientDataJSON);
        bytes memory expected = abi.encodePacked('"challenge":"', toBase64Url(challenge), '"');
        bool isMeant = authenticatorData.length >= SHORTEST && authenticatorData[32] & USER_PRESENT != 0
            && _contains(clientData, assertion.typeIndex, TYPE) && _contains(clientData, assertion.challengeIndex, expected);
        bytes32 hash = sha256(abi.encodePacked(authenticatorData, sha256(clientData)));
        // Whatever it says, the signature is verified: gas is estimated with a placeholder.
        return P256.verify(hash, assertion.r, assertion.s, x, y) && isMeant;
    }

    function _contains(bytes memory text, uint256 index, bytes memory part) private pure returns (bool found) {
        if (index > text.length || text.length - index < part.length) return false;
        assembly ("memory-safe") {
            let length := mload(part)
            found := eq(keccak256(add(add(text, 0x20), index), length), keccak256(add(part, 0x20), length))
        }
    }

    /// Encodes without padding (RFC 4648, section 5).
    function toBase64Url(bytes32 data) internal pure returns (bytes memory text) {
        text = new bytes(43);
        for (uint256 i; i < 43; ++i) {
            // The last character has 4 bits of data.
            uint256 bits = i < 42 ? uint256(data) >> (250 - 6 * i) : uint256(data) << 2;
            text[i] = ALPHABET[bits & 63];
        }
    }
}
