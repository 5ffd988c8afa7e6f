// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../../common/Ecdsa.sol";
import {OwnerSignature} from "../../common/OwnerSignature.sol";
import {SignedMessage} from "../../common/SignedMessage.sol";
import {UupsUpgradeable} from "../../common/UupsUpgradeable.sol";
import {PackedUserOperation} from "../../interfaces/UserOperation07.sol";
import {LightAccountBase} from "../LightAccountBase.sol";

/// Implements the shared part of light accounts v2.0.0, for entry point 0.7.
///
/// Permissions:
/// - the entry point, an owner, or the account itself: execute, executeBatch, withdrawDepositTo, upgradeToAndCall and
///   changes of owners, so the call data of an operation may be any of these;
/// - the entry point alone: validateUserOp;
/// - anyone: addDeposit, sending ether and tokens, and every view.
///
/// The first byte of a signature names its maker: 0x00 a key, any other a contract.
abstract contract LightAccountV2Base is LightAccountBase, SignedMessage, UupsUpgradeable {
    error InvalidSignatureType();
    error ZeroAddressNotAllowed();

    string internal constant VERSION = "2";

    bytes1 private constant BY_KEY = 0x00;

    constructor(address entryPoint_, string memory name)
        LightAccountBase(entryPoint_)
        SignedMessage(name, VERSION)
    {}

    /// Checks that an owner signed `userOpHash`, and pays what the account owes (ERC-4337, entry point 0.7). Reverts
    /// for malformed signatures: an unknown first byte or malformed ECDSA.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        return _validate(userOpHash, userOp.signature, missingAccountFunds);
    }

    /// Verifies a signature (ERC-1271). Reverts for malformed ones.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4 result) {
        return _judge(getMessageHash(abi.encode(hash)), signature);
    }

    /// Returns the domain of `getMessageHash` (ERC-5267). `fields` names the four in use.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (hex"0f", _domainName(), VERSION, block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    function _domainName() internal pure virtual returns (string memory);

    /// Returns the contract owner named by a signature, and the signature itself. Reverts if it names none.
    function _contractOwner(bytes calldata signature) internal view virtual returns (address, bytes calldata);

    function _mayExecute(address caller) internal view override returns (bool) {
        return caller == entryPoint() || caller == address(this) || _isOwner(caller);
    }

    function _mayAdminister(address caller) internal view override returns (bool) {
        return _mayExecute(caller);
    }

    function _requireReceiver(address receiver) internal pure override {
        if (receiver == address(0)) revert ZeroAddressNotAllowed();
    }

    function _isOwners(bytes32 keyHash, bytes32 contractHash, bytes calldata signature)
        internal
        view
        override
        returns (bool)
    {
        if (signature.length == 0) revert InvalidSignatureType();
        if (signature[0] == BY_KEY) return _isOwner(Ecdsa.recover(keyHash, signature[1:]));
        (address owner_, bytes calldata rest) = _contractOwner(signature);
        return _isOwner(owner_) && OwnerSignature.isByContract(owner_, contractHash, rest);
    }
}
