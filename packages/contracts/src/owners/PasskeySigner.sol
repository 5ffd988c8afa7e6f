// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "../interfaces/IERC1271.sol";
import {PasskeySignature} from "./PasskeySignature.sol";

interface IPasskeySignerFactory {
    function isValidSignatureForSigner(
        bytes32 digest,
        bytes calldata signature,
        uint256 x,
        uint256 y,
        PasskeySignature.Verifiers verifiers
    ) external view returns (bytes4);
}

/// Verifies signatures of one passkey (ERC-1271), so that accounts whose owners are addresses can have it as an owner.
/// Each passkey has its own signer, so the code that verifies is only in the factory.
contract PasskeySigner is IERC1271 {
    IPasskeySignerFactory private immutable _factory = IPasskeySignerFactory(msg.sender);
    uint256 private immutable _x;
    uint256 private immutable _y;
    PasskeySignature.Verifiers private immutable _verifiers;

    constructor(uint256 x, uint256 y, PasskeySignature.Verifiers verifiers) {
        _x = x;
        _y = y;
        _verifiers = verifiers;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view override returns (bytes4) {
        return _factory.isValidSignatureForSigner(digest, signature, _x, _y, _verifiers);
    }

    function getConfiguration()
        external
        view
        returns (uint256 x, uint256 y, PasskeySignature.Verifiers verifiers)
    {
        return (_x, _y, _verifiers);
    }
}
