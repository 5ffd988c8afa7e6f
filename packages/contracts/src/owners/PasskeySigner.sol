// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "../interfaces/IERC1271.sol";
import {PasskeySignature} from "./PasskeySignature.sol";

/// Verifies signatures of one passkey (ERC-1271), so that accounts whose owners are addresses can have it as an owner.
contract PasskeySigner is IERC1271 {
    uint256 private immutable _x;
    uint256 private immutable _y;
    PasskeySignature.Verifiers private immutable _verifiers;

    constructor(uint256 x, uint256 y, PasskeySignature.Verifiers verifiers) {
        _x = x;
        _y = y;
        _verifiers = verifiers;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view override returns (bytes4) {
        bool isValid = PasskeySignature.isValid(digest, signature, _x, _y, _verifiers);
        return isValid ? IERC1271.isValidSignature.selector : bytes4(0);
    }

    function getConfiguration()
        external
        view
        returns (uint256 x, uint256 y, PasskeySignature.Verifiers verifiers)
    {
        return (_x, _y, _verifiers);
    }
}
