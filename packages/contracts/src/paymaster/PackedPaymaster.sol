// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {PaymasterBase} from "./PaymasterBase.sol";

/// Implements the paymaster of the entry points whose operations are packed: 0.7 and later. `paymasterAndData` is its
/// address, its two gas limits, and what `PaymasterBase` describes.
abstract contract PackedPaymaster is PaymasterBase {
    uint256 internal constant DATA_START = 52;
    /// Offset of `paymasterAndData` in an operation.
    uint256 internal constant PAYMASTER_AND_DATA = 0xe0;

    bytes32 private constant SPONSORSHIP_TYPE_HASH = keccak256(
        "Sponsorship(address entryPoint,uint48 validUntil,uint48 validAfter,address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,bytes32 paymasterGasLimits,uint256 preVerificationGas,bytes32 gasFees)"
    );

    /// Validates an operation for the entry point. Returns no context, since nothing is left to do after the operation.
    function validatePaymasterUserOp(PackedUserOperation calldata userOp, bytes32, uint256)
        external
        view
        onlyEntryPoint
        returns (bytes memory context, uint256 validationData)
    {
        (uint256 offset, bytes memory message) = _read(userOp);
        return (context, _validateData(userOp, offset, message));
    }

    /// Returns the digest that the signer signs for an operation, without its own signature and paymaster data but with
    /// the gas limits of the paymaster.
    function getHash(PackedUserOperation calldata userOp, uint48 validUntil, uint48 validAfter) external view returns (bytes32) {
        (, bytes memory message) = _read(userOp);
        return _toDigest(message, validUntil, validAfter);
    }

    /// Returns packed validation data for an operation at `offset` of calldata.
    function _validateData(PackedUserOperation calldata, uint256 offset, bytes memory message)
        internal
        view
        virtual
        returns (uint256)
    {
        return _validate(offset, PAYMASTER_AND_DATA, DATA_START, 0, message);
    }

    function _read(PackedUserOperation calldata userOp)
        internal
        view
        virtual
        returns (uint256 offset, bytes memory message)
    {
        assembly ("memory-safe") {
            offset := userOp
        }
        message = _encode(offset, SPONSORSHIP_TYPE_HASH, 12);
        assembly ("memory-safe") {
            // accountGasLimits
            calldatacopy(add(message, 0x120), add(userOp, 0x80), 0x20)
            // The paymaster's limits, behind its address.
            let paymasterAndData := add(userOp, calldataload(add(userOp, 0xe0)))
            calldatacopy(add(message, 0x140), add(paymasterAndData, 0x34), 0x20)
            // preVerificationGas, gasFees
            calldatacopy(add(message, 0x160), add(userOp, 0xa0), 0x40)
        }
    }
}
