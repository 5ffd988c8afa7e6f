// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Binds hashes to one account and module (EIP-712), so that a signature is invalid for others.
abstract contract ReplaySafe {
    bytes32 private constant DOMAIN_TYPE_HASH =
        keccak256("EIP712Domain(uint256 chainId,address verifyingContract,bytes32 salt)");
    bytes32 private constant TYPE_HASH = keccak256("ReplaySafeHash(bytes32 hash)");

    /// Returns the digest that a signer of the account signs for `hash`.
    function replaySafeHash(address account, bytes32 hash) public view virtual returns (bytes32) {
        bytes32 domain =
            keccak256(abi.encode(DOMAIN_TYPE_HASH, block.chainid, address(this), bytes32(uint256(uint160(account)))));
        return keccak256(abi.encodePacked("\x19\x01", domain, keccak256(abi.encode(TYPE_HASH, hash))));
    }

    /// Returns the digest to verify. The account itself asks about a deferred action, whose digest is bound to it.
    function _toSigned(address account, address sender, bytes32 hash) internal view returns (bytes32) {
        return sender == account ? hash : replaySafeHash(account, hash);
    }
}
