// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The message an owner signs for the account (EIP-712): `LightAccountMessage(bytes message)` in the account's own
/// domain, so that a signature for one account, or one chain, is worth nothing for another.
abstract contract SignedMessage {
    bytes32 internal constant DOMAIN_TYPE_HASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant MESSAGE_TYPE_HASH = keccak256("LightAccountMessage(bytes message)");

    bytes32 private immutable _nameHash;
    bytes32 private immutable _versionHash;

    /// Name and version of the domain.
    constructor(string memory name, string memory version) {
        _nameHash = keccak256(bytes(name));
        _versionHash = keccak256(bytes(version));
    }

    /// EIP-712 hash of `LightAccountMessage(message)` in this account's domain.
    function getMessageHash(bytes memory message) public view returns (bytes32) {
        return keccak256(_encodeMessage(message));
    }

    /// The bytes whose hash an owner signs.
    function _encodeMessage(bytes memory message) internal view returns (bytes memory) {
        bytes32 structHash = keccak256(abi.encode(MESSAGE_TYPE_HASH, keccak256(message)));
        return abi.encodePacked("\x19\x01", _domainSeparator(), structHash);
    }

    /// Computed at every call: after a fork of the chain the old id must not verify.
    function _domainSeparator() internal view virtual returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPE_HASH, _nameHash, _versionHash, block.chainid, address(this)));
    }
}
