// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Hashes messages that an owner signs for the account (EIP-712): `LightAccountMessage(bytes message)` in the account's
/// own domain, so that a signature is invalid for other accounts and chains.
abstract contract SignedMessage {
    bytes32 internal constant DOMAIN_TYPE_HASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant MESSAGE_TYPE_HASH = keccak256("LightAccountMessage(bytes message)");

    bytes32 private immutable _nameHash;
    bytes32 private immutable _versionHash;

    /// Returns name and version of the domain.
    constructor(string memory name, string memory version) {
        _nameHash = keccak256(bytes(name));
        _versionHash = keccak256(bytes(version));
    }

    /// Returns the EIP-712 hash of `LightAccountMessage(message)` in this account's domain.
    function getMessageHash(bytes memory message) public view returns (bytes32) {
        return keccak256(_encodeMessage(message));
    }

    /// Returns the bytes whose hash an owner signs.
    function _encodeMessage(bytes memory message) internal view returns (bytes memory) {
        bytes32 structHash = keccak256(abi.encode(MESSAGE_TYPE_HASH, keccak256(message)));
        return abi.encodePacked("\x19\x01", _domainSeparator(), structHash);
    }

    /// Computes the domain at every call: after a fork of the chain the old id must not verify.
    function _domainSeparator() internal view virtual returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPE_HASH, _nameHash, _versionHash, block.chainid, address(this)));
    }
}
