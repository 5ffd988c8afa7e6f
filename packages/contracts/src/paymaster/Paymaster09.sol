// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {Paymaster08} from "./Paymaster08.sol";

/// Implements the paymaster of entry point 0.9. The operation's hash leaves out the paymaster's signature, so account and
/// paymaster may sign at the same time; the times before the signature are part of the hash.
contract Paymaster09 is Paymaster08 {
    /// Length of the signature in two bytes, then the magic of entry point 0.9, which both end `paymasterAndData`.
    bytes10 private constant SIGNATURE_TAIL = hex"004122e325a297439656";

    constructor(address owner, address entryPoint, address signer) Paymaster08(owner, entryPoint, signer) {}

    function _validateData(PackedUserOperation calldata userOp, uint256 offset, bytes memory message)
        internal
        view
        override
        returns (uint256)
    {
        bytes calldata data = userOp.paymasterAndData;
        bool isOutsideHash = data.length >= 10 && bytes10(data[data.length - 10:]) == SIGNATURE_TAIL;
        // Without the tail no length fits, since a failed signature must not revert.
        uint256 tail = isOutsideHash ? 10 : type(uint16).max;
        return _validate(offset, PAYMASTER_AND_DATA, DATA_START, tail, message);
    }
}
