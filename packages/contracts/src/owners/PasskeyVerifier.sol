// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {P256} from "../modules/P256.sol";

/// Verifies P-256 signatures where the precompile is missing, with its input and output (RIP-7212): hash, r, s, x and y;
/// 1 for a valid signature.
contract PasskeyVerifier {
    fallback(bytes calldata input) external returns (bytes memory) {
        if (input.length != 160) return "";
        (bytes32 hash, uint256 r, uint256 s, uint256 x, uint256 y) =
            abi.decode(input, (bytes32, uint256, uint256, uint256, uint256));
        return P256.verifyWithoutPrecompile(hash, r, s, x, y) ? abi.encode(1) : bytes("");
    }
}
