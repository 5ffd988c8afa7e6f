// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "../../common/Initializable.sol";
import {OwnerSignature} from "../../common/OwnerSignature.sol";
import {Upgradeable} from "../../common/Upgradeable.sol";
import {UserOperation} from "../../interfaces/UserOperation06.sol";
import {LightAccountBase} from "../LightAccountBase.sol";
import {SingleOwnerLightAccount} from "../SingleOwnerLightAccount.sol";

/// Implements the shared part of versions 1 of LightAccount, for entry point 0.6: one owner, a key or a contract. The
/// versions differ in what an owner signs for ERC-1271.
///
/// Permissions:
/// - the entry point or the owner: execute, executeBatch;
/// - the owner, or the account itself (the owner through execute): transferOwnership,
///   withdrawDepositTo, upgradeTo, upgradeToAndCall;
/// - the entry point alone: validateUserOp;
/// - anyone: addDeposit, sending ether and tokens, and every view.
abstract contract LightAccountV1 is SingleOwnerLightAccount, Upgradeable {
    constructor(address anEntryPoint) LightAccountBase(anEntryPoint) {}

    /// Initializes the account. Called once by the constructor of the proxy.
    function initialize(address anOwner) external initializer {
        _setFirstOwner(anOwner);
    }

    /// Checks that the owner signed `userOpHash`, and pays what the account owes (ERC-4337, entry point 0.6).
    function validateUserOp(UserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        return _validate(userOpHash, userOp.signature, missingAccountFunds);
    }

    /// Accepts ERC-777 tokens, which ask the receiver first.
    function tokensReceived(address, address, address, uint256, bytes calldata, bytes calldata) external pure {}

    /// Accepts every address, as the public contracts do: the owner may burn the deposit.
    function _requireReceiver(address) internal pure override {}

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

    function _mayExecute(address caller) internal view override returns (bool) {
        return caller == entryPoint() || _isOwner(caller);
    }

    function _mayAdminister(address caller) internal view override returns (bool) {
        return caller == address(this) || _isOwner(caller);
    }

    function _leave() internal override(Initializable, SingleOwnerLightAccount) {
        super._leave();
    }
}
