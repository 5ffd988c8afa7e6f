// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {PaymasterBase} from "./PaymasterBase.sol";

/// The paymaster of entry point 0.7. `paymasterAndData` is its address, its two gas limits and the 97 bytes.
contract Paymaster07 is PaymasterBase {
    uint256 private constant LIMITS_START = 20;
    uint256 private constant DATA_START = 52;

    bytes32 private constant SPONSORSHIP_TYPE_HASH = keccak256(
        "Sponsorship(address entryPoint,uint48 validUntil,uint48 validAfter,address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,bytes32 paymasterGasLimits,uint256 preVerificationGas,bytes32 gasFees)"
    );

    constructor(address owner, address entryPoint, address signer) PaymasterBase(owner, entryPoint, signer) {}

    /// Asked by the entry point. There is no context: nothing is left to do after the operation.
    function validatePaymasterUserOp(PackedUserOperation calldata userOp, bytes32, uint256)
        external
        view
        returns (bytes memory context, uint256 validationData)
    {
        _requireEntryPoint();
        bytes calldata paymasterAndData = userOp.paymasterAndData;
        if (paymasterAndData.length != DATA_START + DATA_LENGTH) return (context, _malformed());
        bytes calldata data = paymasterAndData[DATA_START:];
        (uint48 validUntil, uint48 validAfter) = _timesIn(data);
        validationData = _validate(_hashSponsorship(userOp, validUntil, validAfter), data);
    }

    /// What the signer signs for an operation, whose own signature and paymaster data do not count; the paymaster's gas
    /// limits do.
    function getHash(PackedUserOperation calldata userOp, uint48 validUntil, uint48 validAfter)
        external
        view
        returns (bytes32)
    {
        return _toDigest(_hashSponsorship(userOp, validUntil, validAfter));
    }

    function _hashSponsorship(PackedUserOperation calldata userOp, uint48 validUntil, uint48 validAfter)
        private
        view
        returns (bytes32)
    {
        return keccak256(
            abi.encode(
                SPONSORSHIP_TYPE_HASH,
                entryPoint(),
                validUntil,
                validAfter,
                userOp.sender,
                userOp.nonce,
                keccak256(userOp.initCode),
                keccak256(userOp.callData),
                userOp.accountGasLimits,
                bytes32(userOp.paymasterAndData[LIMITS_START:DATA_START]),
                userOp.preVerificationGas,
                userOp.gasFees
            )
        );
    }
}
