// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {IERC1271} from "../interfaces/IERC1271.sol";
import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {IValidationModule} from "../modularAccountV2/erc6900/IModule.sol";
import {ModuleBase} from "./ModuleBase.sol";
import {ReplaySafe} from "./ReplaySafe.sol";
import {WebAuthn} from "./WebAuthn.sol";

/// Validates by one passkey (P-256) for each account and entity id. A passkey makes no calls of its own.
contract WebAuthnValidationModule is IValidationModule, ModuleBase, ReplaySafe {
    struct PublicKey {
        uint256 x;
        uint256 y;
    }

    error NotAuthorized();

    event SignerTransferred(
        address indexed account,
        uint32 indexed entityId,
        uint256 indexed newX,
        uint256 indexed newY,
        uint256 previousX,
        uint256 previousY
    ) anonymous;

    mapping(uint32 entityId => mapping(address account => PublicKey)) public signers;

    /// Sets the first passkey: entity id, x, y.
    function onInstall(bytes calldata data) external override {
        (uint32 entityId, uint256 x, uint256 y) = abi.decode(data, (uint32, uint256, uint256));
        _transferSigner(entityId, x, y);
    }

    function onUninstall(bytes calldata data) external override {
        _transferSigner(abi.decode(data, (uint32)), 0, 0);
    }

    function transferSigner(uint32 entityId, uint256 x, uint256 y) external {
        _transferSigner(entityId, x, y);
    }

    function validateUserOp(uint32 entityId, PackedUserOperation calldata userOp, bytes32 userOpHash)
        external
        view
        override
        returns (uint256)
    {
        return _isSigned(entityId, userOp.sender, Ecdsa.toPersonalHash(userOpHash), userOp.signature) ? 0 : 1;
    }

    function validateRuntime(address, uint32, address, uint256, bytes calldata, bytes calldata)
        external
        pure
        override
    {
        revert NotAuthorized();
    }

    function validateSignature(
        address account,
        uint32 entityId,
        address sender,
        bytes32 digest,
        bytes calldata signature
    ) external view override returns (bytes4) {
        bool isSigned = _isSigned(entityId, account, _toSigned(account, sender, digest), signature);
        return isSigned ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function moduleId() external pure override returns (string memory) {
        return "alchemy.webauthn-validation-module.1.0.0";
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IValidationModule).interfaceId || super.supportsInterface(interfaceId);
    }

    function _transferSigner(uint32 entityId, uint256 x, uint256 y) private {
        PublicKey memory previous = signers[entityId][msg.sender];
        signers[entityId][msg.sender] = PublicKey(x, y);
        emit SignerTransferred(msg.sender, entityId, x, y, previous.x, previous.y);
    }

    function _isSigned(uint32 entityId, address account, bytes32 challenge, bytes calldata signature)
        private
        view
        returns (bool)
    {
        PublicKey memory key = signers[entityId][account];
        return WebAuthn.verify(challenge, abi.decode(signature, (WebAuthn.Assertion)), key.x, key.y);
    }
}
