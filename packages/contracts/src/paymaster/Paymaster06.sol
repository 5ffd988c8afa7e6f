// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../interfaces/UserOperation06.sol";
import {PaymasterBase} from "./PaymasterBase.sol";

/// Implements the paymaster of entry point 0.6. `paymasterAndData` is its address and the 97 bytes.
contract Paymaster06 is PaymasterBase {
    uint256 private constant DATA_START = 20;

    bytes32 private constant SPONSORSHIP_TYPE_HASH = keccak256(
        "Sponsorship(address entryPoint,uint48 validUntil,uint48 validAfter,address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas)"
    );

    constructor(address owner, address entryPoint, address signer) PaymasterBase(owner, entryPoint, signer) {}

    /// Validates an operation for the entry point. Returns no context, since nothing is left to do after the operation.
    function validatePaymasterUserOp(UserOperation calldata userOp, bytes32, uint256)
        external
        view
        onlyEntryPoint
        returns (bytes memory context, uint256 validationData)
    {
        (uint256 offset, bytes memory message) = _read(userOp);
        return (context, _validate(offset, 0x120, DATA_START, 0, message));
    }

    /// Returns the digest that the signer signs for an operation, without its own signature and paymaster data.
    function getHash(UserOperation calldata userOp, uint48 validUntil, uint48 validAfter) external view returns (bytes32) {
        (, bytes memory message) = _read(userOp);
        return _toDigest(message, validUntil, validAfter);
    }

    function _read(UserOperation calldata userOp) private pure returns (uint256 offset, bytes memory message) {
        assembly ("memory-safe") {
            offset := userOp
        }
        message = _encode(offset, SPONSORSHIP_TYPE_HASH, 13);
        assembly ("memory-safe") {
            // From callGasLimit to maxPriorityFeePerGas.
            calldatacopy(add(message, 0x120), add(userOp, 0x80), 0xa0)
        }
    }
}
