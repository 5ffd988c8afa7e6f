// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {IERC1271} from "../interfaces/IERC1271.sol";
import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {SignatureTypes} from "../common/SignatureTypes.sol";
import {IValidationModule} from "../modularAccountV2/erc6900/IModule.sol";
import {ModuleBase} from "./ModuleBase.sol";
import {ReplaySafe} from "./ReplaySafe.sol";

/// Validates by one signer for each account and entity id, a key or a contract.
contract SingleSignerValidationModule is IValidationModule, ModuleBase, ReplaySafe {
    error NotAuthorized();

    event SignerTransferred(
        address indexed account, uint32 indexed entityId, address indexed newSigner, address previousSigner
    ) anonymous;

    mapping(uint32 entityId => mapping(address account => address)) public signers;

    /// Sets the first signer: entity id, signer.
    function onInstall(bytes calldata data) external override {
        (uint32 entityId, address signer) = abi.decode(data, (uint32, address));
        _transferSigner(entityId, signer);
    }

    function onUninstall(bytes calldata data) external override {
        _transferSigner(abi.decode(data, (uint32)), address(0));
    }

    function transferSigner(uint32 entityId, address newSigner) external {
        _transferSigner(entityId, newSigner);
    }

    function validateUserOp(uint32 entityId, PackedUserOperation calldata userOp, bytes32 userOpHash)
        external
        view
        override
        returns (uint256)
    {
        address signer = signers[entityId][userOp.sender];
        return SignatureTypes.isValid(signer, Ecdsa.toPersonalHash(userOpHash), userOp.signature) ? 0 : 1;
    }

    function validateRuntime(address account, uint32 entityId, address sender, uint256, bytes calldata, bytes calldata)
        external
        view
        override
    {
        if (sender != signers[entityId][account]) revert NotAuthorized();
    }

    function validateSignature(
        address account,
        uint32 entityId,
        address sender,
        bytes32 digest,
        bytes calldata signature
    ) external view override returns (bytes4) {
        bytes32 signed = _toSigned(account, sender, digest);
        bool isValid = SignatureTypes.isValid(signers[entityId][account], signed, signature);
        return isValid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function moduleId() external pure override returns (string memory) {
        return "alchemy.single-signer-validation-module.1.0.0";
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IValidationModule).interfaceId || super.supportsInterface(interfaceId);
    }

    function _transferSigner(uint32 entityId, address newSigner) private {
        address previous = signers[entityId][msg.sender];
        signers[entityId][msg.sender] = newSigner;
        emit SignerTransferred(msg.sender, entityId, newSigner, previous);
    }
}
