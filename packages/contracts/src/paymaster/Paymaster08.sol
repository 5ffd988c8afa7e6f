// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {PackedPaymaster} from "./PackedPaymaster.sol";
import {PaymasterBase} from "./PaymasterBase.sol";

/// Implements the paymaster of entry point 0.8. The init code of an account of EIP-7702 begins with a marker; the signer
/// signs the delegate's address in its place, as the entry point hashes it, so no other code can use the signature.
contract Paymaster08 is PackedPaymaster {
    bytes20 private constant DELEGATION_MARKER = hex"7702000000000000000000000000000000000000";
    /// Offset in the message of the hash of `initCode`.
    uint256 private constant INIT_CODE_HASH = 0xe0;

    constructor(address owner, address entryPoint, address signer) PaymasterBase(owner, entryPoint, signer) {}

    function _read(PackedUserOperation calldata userOp)
        internal
        view
        override
        returns (uint256 offset, bytes memory message)
    {
        (offset, message) = super._read(userOp);
        bytes calldata initCode = userOp.initCode;
        if (bytes20(initCode) != DELEGATION_MARKER) return (offset, message);
        bytes20 delegate = _delegateOf(userOp.sender);
        bytes memory named =
            initCode.length > 20 ? abi.encodePacked(delegate, initCode[20:]) : abi.encodePacked(delegate);
        bytes32 hash = keccak256(named);
        assembly ("memory-safe") {
            mstore(add(message, INIT_CODE_HASH), hash)
        }
    }

    /// Returns the address behind the three bytes that begin a delegated account's code.
    function _delegateOf(address account) private view returns (bytes20 delegate) {
        assembly ("memory-safe") {
            mstore(0, 0)
            extcodecopy(account, 0, 3, 20)
            delegate := mload(0)
        }
    }
}
