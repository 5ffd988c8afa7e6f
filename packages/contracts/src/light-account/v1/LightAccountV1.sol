// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {OwnerSignature} from "../../common/OwnerSignature.sol";
import {Upgradeable} from "../../common/Upgradeable.sol";
import {UserOperation} from "../../interfaces/UserOperation06.sol";
import {SingleOwnerLightAccount} from "../SingleOwnerLightAccount.sol";

/// A smart account with one owner, a key or a contract: LightAccount v1.1.0 for entry point 0.6.
/// For local and private chains. Unaudited: public chains have the audited contract at the same address.
///
/// Who may do what:
/// - the entry point or the owner: execute, executeBatch;
/// - the owner, or the account itself (that is: the owner by way of execute): transferOwnership,
///   withdrawDepositTo, upgradeTo, upgradeToAndCall;
/// - the entry point alone: validateUserOp;
/// - anyone: addDeposit, sending ether and tokens, and every view.
contract LightAccountV1 is SingleOwnerLightAccount, Upgradeable {
    // Namespace "latchkey.storage.LightAccountV1" (ERC-7201):
    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.LightAccountV1")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0xffd8713efa6769df44ef897de3d3f25d190d5dd23901966768b4e990672dc600;

    constructor(address anEntryPoint) SingleOwnerLightAccount(anEntryPoint, "1", SLOT) {}

    /// Called once by the proxy's constructor.
    function initialize(address anOwner) external initializer {
        _setFirstOwner(anOwner);
    }

    /// ERC-4337 (entry point 0.6): says whether the owner signed `userOpHash` and pays what the account owes.
    function validateUserOp(UserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        return _validate(userOpHash, userOp.signature, missingAccountFunds);
    }

    /// ERC-777 asks before it comes.
    function tokensReceived(address, address, address, uint256, bytes calldata, bytes calldata) external pure {}

    /// ERC-1271. Never reverts.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return _judge(digest, signature);
    }

    /// The bytes whose hash the owner signs.
    function encodeMessageData(bytes memory message) external view returns (bytes memory) {
        return _encodeMessage(message);
    }

    function domainSeparator() external view returns (bytes32) {
        return _domainSeparator();
    }

    function _isOwners(bytes32 keyHash, bytes32 contractHash, bytes calldata signature)
        internal
        view
        override
        returns (bool)
    {
        address anOwner = owner();
        return OwnerSignature.isByKey(anOwner, keyHash, signature)
            || OwnerSignature.isByContract(anOwner, contractHash, signature);
    }
}
