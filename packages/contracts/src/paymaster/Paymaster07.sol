// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {PaymasterBase} from "./PaymasterBase.sol";

/// Implements the paymaster of entry point 0.7. `paymasterAndData` is its address, its two gas limits and the 97 bytes.
contract Paymaster07 is PaymasterBase {
    uint256 private constant DATA_START = 52;

    bytes32 private constant SPONSORSHIP_TYPE_HASH = keccak256(
        "Sponsorship(address entryPoint,uint48 validUntil,uint48 validAfter,address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,bytes32 paymasterGasLimits,uint256 preVerificationGas,bytes32 gasFees)"
    );

    constructor(address owner, address entryPoint, address signer) PaymasterBase(owner, entryPoint, signer) {}

    /// Validates an operation for the entry point. Returns no context, since nothing is left to do after the operation.
    function validatePaymasterUserOp(PackedUserOperation calldata userOp, bytes32, uint256)
        external
        view
        onlyEntryPoint
        returns (bytes memory context, uint256 validationData)
    {
        (uint256 offset, bytes memory message) = _read(userOp);
        return (context, _validate(offset, 0xe0, DATA_START, message));
    }

    /// Returns the digest that the signer signs for an operation, without its own signature and paymaster data but with
    /// the gas limits of the paymaster.
    function getHash(PackedUserOperation calldata userOp, uint48 validUntil, uint48 validAfter) external view returns (bytes32) {
        (, bytes memory message) = _read(userOp);
        return _toDigest(message, validUntil, validAfter);
    }

    function _read(PackedUserOperation calldata userOp) private pure returns (uint256 offset, bytes memory message) {
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
