// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../../common/Ecdsa.sol";
import {OwnerSignature} from "../../common/OwnerSignature.sol";
import {UupsUpgradeable} from "../../common/UupsUpgradeable.sol";
import {PackedUserOperation} from "../../interfaces/UserOperation07.sol";
import {SingleOwnerLightAccount} from "../SingleOwnerLightAccount.sol";

/// A smart account with one owner, a key or a contract: LightAccount v2.0.0 for entry point 0.7.
/// For local and private chains. Unaudited: public chains have the audited contract at the same address.
///
/// Who may do what:
/// - the entry point or the owner: execute, executeBatch;
/// - the owner, or the account itself (that is: the owner by way of execute): transferOwnership,
///   withdrawDepositTo, upgradeToAndCall;
/// - the entry point alone: validateUserOp;
/// - anyone: addDeposit, sending ether and tokens, and every view.
///
/// A signature starts with one byte that says whose it is: 0x00 a key's, 0x01 a contract's.
contract LightAccountV2 is SingleOwnerLightAccount, UupsUpgradeable {
    error InvalidSignatureType();
    error ZeroAddressNotAllowed();

    // Namespace "latchkey.storage.LightAccountV2" (ERC-7201):
    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.LightAccountV2")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0x221f29d311eabc3d4296bc71649643c0b96eaae3421d1efa2c682b051567f100;

    string private constant VERSION = "2";

    bytes1 private constant BY_KEY = 0x00;
    bytes1 private constant BY_CONTRACT = 0x01;

    constructor(address entryPoint_) SingleOwnerLightAccount(entryPoint_, VERSION, SLOT) {}

    /// Called once by the factory, in the transaction that makes the proxy.
    function initialize(address owner_) external initializer {
        _setFirstOwner(owner_);
    }

    /// ERC-4337 (entry point 0.7): says whether the owner signed `userOpHash` and pays what the account owes. Reverts
    /// for a signature that is none: another first byte, or malformed ECDSA.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        return _validate(userOpHash, userOp.signature, missingAccountFunds);
    }

    /// ERC-1271. Reverts for a signature that is none.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4 result) {
        return _judge(hash, signature);
    }

    /// ERC-5267: the domain of `getMessageHash`. `fields` names the four in use.
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
        return (hex"0f", NAME, VERSION, block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    function _withdrawDeposit(address payable withdrawAddress, uint256 amount) internal override {
        if (withdrawAddress == address(0)) revert ZeroAddressNotAllowed();
        super._withdrawDeposit(withdrawAddress, amount);
    }

    function _isOwners(bytes32 keyHash, bytes32 contractHash, bytes calldata signature)
        internal
        view
        override
        returns (bool)
    {
        if (signature.length == 0) revert InvalidSignatureType();
        bytes calldata rest = signature[1:];
        if (signature[0] == BY_KEY) return Ecdsa.recover(keyHash, rest) == owner();
        if (signature[0] == BY_CONTRACT) return OwnerSignature.isByContract(owner(), contractHash, rest);
        revert InvalidSignatureType();
    }
}
