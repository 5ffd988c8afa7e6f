// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "../interfaces/IERC1271.sol";
import {Ecdsa} from "./Ecdsa.sol";

/// Checks whether an owner, a key or a contract, signed something. Never reverts.
library OwnerSignature {
    /// Checks that a key signed `hash`.
    function isByKey(address owner, bytes32 hash, bytes calldata signature) internal pure returns (bool) {
        // ecrecover returns zero for what it cannot recover, and a zero owner must not match it.
        return owner != address(0) && Ecdsa.tryRecover(hash, signature) == owner;
    }

    /// Checks that a contract accepts the signature over `hash` (ERC-1271).
    function isByContract(address owner, bytes32 hash, bytes calldata signature) internal view returns (bool) {
        if (owner.code.length == 0) return false;
        (bool success, bytes memory result) =
            owner.staticcall(abi.encodeCall(IERC1271.isValidSignature, (hash, signature)));
        // Compares the whole word: one with dirty low bytes is not the magic value.
        return success && result.length >= 32
            && abi.decode(result, (bytes32)) == bytes32(IERC1271.isValidSignature.selector);
    }
}
