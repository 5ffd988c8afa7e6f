// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Reads the packed values of ERC-6900 v0.8, and the places in which an operation or a signature names its validation.
///
/// - module entity (bytes24): module (20), entity id (4);
/// - validation config (bytes25): module entity, flags (1);
/// - hook config (bytes25): module entity, flags (1);
/// - key of a validation (uint192): the entity id, or for a direct-call validation its module entity.
library Encoding {
    uint8 internal constant USER_OP_VALIDATION = 1;
    uint8 internal constant SIGNATURE_VALIDATION = 2;
    uint8 internal constant GLOBAL_VALIDATION = 4;

    uint8 internal constant VALIDATION_HOOK = 1;
    uint8 internal constant POST_HOOK = 2;
    uint8 internal constant PRE_HOOK = 4;

    uint8 internal constant USES_GLOBAL = 1;
    uint8 internal constant HAS_DEFERRED_ACTION = 2;
    uint8 internal constant USES_DIRECT_CALL = 4;

    /// Entity id of every direct-call validation; the caller takes the place of the module.
    uint32 internal constant DIRECT_CALL_ID = type(uint32).max;

    function moduleOf(bytes25 config) internal pure returns (address) {
        return address(bytes20(config));
    }

    function entityIdOf(bytes25 config) internal pure returns (uint32) {
        return uint32(uint200(config) >> 8);
    }

    function flagsOf(bytes25 config) internal pure returns (uint8) {
        return uint8(uint200(config));
    }

    function keyOf(bytes24 entity) internal pure returns (uint192) {
        uint32 entityId = uint32(uint192(entity));
        return entityId == DIRECT_CALL_ID ? uint192(entity) : entityId;
    }

    function directCallKey(address caller) internal pure returns (uint192) {
        return uint192(uint160(caller)) << 32 | DIRECT_CALL_ID;
    }

    /// Reads a nonce: parallel key (152 bits), entity id (32), options (8), sequence (64).
    function fromNonce(uint256 nonce) internal pure returns (uint192 key, uint8 options) {
        return fromLocator(bytes21(uint168(nonce >> 64)));
    }

    /// Reads the end of a nonce's key: caller (20) or entity id (4, after 16 others), then options (1).
    function fromLocator(bytes21 locator) internal pure returns (uint192 key, uint8 options) {
        options = uint8(uint168(locator));
        uint160 id = uint160(uint168(locator) >> 8);
        key = options & USES_DIRECT_CALL != 0 ? directCallKey(address(id)) : uint32(id);
    }

    /// Reads the beginning of a signature or authorization: options (1), then caller (20) or entity id (4).
    function fromSignature(bytes calldata signature)
        internal
        pure
        returns (uint192 key, uint8 options, bytes calldata rest)
    {
        options = uint8(signature[0]);
        if (options & USES_DIRECT_CALL != 0) {
            return (directCallKey(address(bytes20(signature[1:21]))), options, signature[21:]);
        }
        return (uint32(bytes4(signature[1:5])), options, signature[5:]);
    }
}
