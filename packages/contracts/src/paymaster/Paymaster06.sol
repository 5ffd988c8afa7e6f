// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../interfaces/UserOperation06.sol";
import {PaymasterBase} from "./PaymasterBase.sol";

/// The paymaster of entry point 0.6. `paymasterAndData` is its address and the 97 bytes.
contract Paymaster06 is PaymasterBase {
    uint256 private constant DATA_START = 20;

    bytes32 private constant SPONSORSHIP_TYPE_HASH = keccak256(
        "Sponsorship(address entryPoint,uint48 validUntil,uint48 validAfter,address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas)"
    );

    constructor(address owner, address entryPoint, address signer) PaymasterBase(owner, entryPoint, signer) {}

    /// Asked by the entry point. There is no context: nothing is left to do after the operation.
    function validatePaymasterUserOp(UserOperation calldata userOp, bytes32, uint256)
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

    /// What the signer signs for an operation, whose own signature and paymaster data do not count.
    function getHash(UserOperation calldata userOp, uint48 validUntil, uint48 validAfter)
        external
        view
        returns (bytes32)
    {
        return _toDigest(_hashSponsorship(userOp, validUntil, validAfter));
    }

    function _hashSponsorship(UserOperation calldata userOp, uint48 validUntil, uint48 validAfter)
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
                userOp.callGasLimit,
                userOp.verificationGasLimit,
                userOp.preVerificationGas,
                userOp.maxFeePerGas,
                userOp.maxPriorityFeePerGas
            )
        );
    }
}
