// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "../interfaces/IERC1271.sol";
import {PasskeySignature} from "./PasskeySignature.sol";
import {IPasskeySignerFactory, PasskeySigner} from "./PasskeySigner.sol";

/// Deploys one signer for each passkey (CREATE2, EIP-1014).
contract PasskeySignerFactory is IPasskeySignerFactory {
    event Created(address indexed signer, uint256 x, uint256 y, PasskeySignature.Verifiers verifiers);

    /// Returns the signer that exists already, or deploys it.
    function createSigner(uint256 x, uint256 y, PasskeySignature.Verifiers verifiers)
        external
        returns (address signer)
    {
        signer = getSigner(x, y, verifiers);
        if (signer.code.length > 0) return signer;
        new PasskeySigner{salt: 0}(x, y, verifiers);
        emit Created(signer, x, y, verifiers);
    }

    function getSigner(uint256 x, uint256 y, PasskeySignature.Verifiers verifiers) public view returns (address) {
        bytes memory code = abi.encodePacked(type(PasskeySigner).creationCode, abi.encode(x, y, verifiers));
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), bytes32(0), keccak256(code)));
        return address(uint160(uint256(hash)));
    }

    /// Verifies a signature before the signer is deployed.
    function isValidSignatureForSigner(
        bytes32 digest,
        bytes calldata signature,
        uint256 x,
        uint256 y,
        PasskeySignature.Verifiers verifiers
    ) external view override returns (bytes4) {
        bool isValid = PasskeySignature.isValid(digest, signature, x, y, verifiers);
        return isValid ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}
