// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Recovers the signer of a 65-byte ECDSA signature (r, s, v).
library Ecdsa {
    error ECDSAInvalidSignature();
    error ECDSAInvalidSignatureLength(uint256 length);
    error ECDSAInvalidSignatureS(bytes32 s);

    /// Holds half the order of secp256k1. A higher s mirrors a lower one and is refused (EIP-2).
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// Returns the signer of `hash`, or zero for a malformed signature. Never reverts.
    function tryRecover(bytes32 hash, bytes calldata signature) internal pure returns (address) {
        if (signature.length != 65) return address(0);
        (bytes32 r, bytes32 s, uint8 v) = _split(signature);
        return tryRecover(hash, r, s, v);
    }

    /// Does the same for a signature that is already split.
    function tryRecover(bytes32 hash, bytes32 r, bytes32 s, uint8 v) internal pure returns (address) {
        if (uint256(s) > MAX_S || (v != 27 && v != 28)) return address(0);
        return ecrecover(hash, v, r, s);
    }

    /// Returns the signer of `hash`. Reverts for a malformed signature.
    function recover(bytes32 hash, bytes calldata signature) internal pure returns (address signer) {
        if (signature.length != 65) revert ECDSAInvalidSignatureLength(signature.length);
        (bytes32 r, bytes32 s, uint8 v) = _split(signature);
        if (uint256(s) > MAX_S) revert ECDSAInvalidSignatureS(s);
        signer = ecrecover(hash, v, r, s);
        if (signer == address(0)) revert ECDSAInvalidSignature();
    }

    /// Returns the hash that a wallet signs for a 32-byte personal message (EIP-191, version 0x45).
    function toPersonalHash(bytes32 hash) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", hash));
    }

    function _split(bytes calldata signature) private pure returns (bytes32 r, bytes32 s, uint8 v) {
        r = bytes32(signature[:32]);
        s = bytes32(signature[32:64]);
        v = uint8(signature[64]);
    }
}
