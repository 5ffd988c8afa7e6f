// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {P256} from "../modules/P256.sol";

/// Calls the library from outside, with and without the precompile.
contract P256Verifier {
    function verify(bytes32 hash, uint256 r, uint256 s, uint256 x, uint256 y) external view returns (bool) {
        return P256.verify(hash, r, s, x, y);
    }

    function verifyWithoutPrecompile(bytes32 hash, uint256 r, uint256 s, uint256 x, uint256 y)
        external
        view
        returns (bool)
    {
        return P256.verifyWithoutPrecompile(hash, r, s, x, y);
    }
}
