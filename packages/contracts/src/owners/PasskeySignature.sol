// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {WebAuthn} from "../modules/WebAuthn.sol";

/// Verifies assertions of passkeys (WebAuthn Level 3, section 7.2) in the encoding of the public signer contracts. The
/// contract rebuilds the client data from the challenge, so that a signature cannot name another challenge.
library PasskeySignature {
    /// Two bytes of a precompile's address (RIP-7212, EIP-7951) and the address of a contract for chains without it.
    type Verifiers is uint176;

    bytes1 private constant USER_VERIFIED = 0x04;
    /// Hash of the relying party (32), flags (1), counter (4).
    uint256 private constant SHORTEST = 37;
    uint256 private constant HALF_ORDER = 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8;

    /// `encoded`: authenticator data, client data, r and s. Of the client data only the members after the challenge,
    /// without the closing brace.
    function isValid(bytes32 challenge, bytes calldata encoded, uint256 x, uint256 y, Verifiers verifiers)
        internal
        view
        returns (bool)
    {
        (bytes memory authenticatorData, string memory fields, uint256 r, uint256 s) =
            abi.decode(encoded, (bytes, string, uint256, uint256));
        bytes memory clientData = abi.encodePacked(
            '{"type":"webauthn.get","challenge":"', WebAuthn.toBase64Url(challenge), '",', fields, "}"
        );
        bool isMeant =
            s <= HALF_ORDER && authenticatorData.length >= SHORTEST && authenticatorData[32] & USER_VERIFIED != 0;
        bytes32 hash = sha256(abi.encodePacked(authenticatorData, sha256(clientData)));
        // The signature is verified in any case: gas is estimated with a placeholder.
        return _verify(abi.encode(hash, r, s, x, y), Verifiers.unwrap(verifiers)) && isMeant;
    }

    function _verify(bytes memory input, uint176 verifiers) private view returns (bool) {
        address precompile = address(uint160(verifiers >> 160));
        if (precompile != address(0) && _accepts(precompile, input)) return true;
        address verifier = address(uint160(verifiers));
        return verifier != address(0) && _accepts(verifier, input);
    }

    function _accepts(address verifier, bytes memory input) private view returns (bool) {
        (bool success, bytes memory result) = verifier.staticcall(input);
        return success && result.length == 32 && abi.decode(result, (uint256)) == 1;
    }
}
