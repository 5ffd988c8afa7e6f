// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IStakeManager07} from "../interfaces/IStakeManager07.sol";
import {MinimalProxy} from "../lightAccount/v2/MinimalProxy.sol";
import {ModularFactoryBase} from "./ModularFactoryBase.sol";
import {SemiModularProxy} from "./SemiModularProxy.sol";

/// Deploys semi-modular accounts and modular accounts v2. For local and private chains. Unaudited.
contract AccountFactory is ModularFactoryBase {
    event ModularAccountDeployed(address indexed account, address indexed owner, uint256 salt);
    event SemiModularAccountDeployed(address indexed account, address indexed owner, uint256 salt);

    address public immutable SEMI_MODULAR_ACCOUNT_IMPL;
    address public immutable SINGLE_SIGNER_VALIDATION_MODULE;

    /// Stands in the salt where others have the entity id.
    uint32 private constant NO_ENTITY = type(uint32).max;

    constructor(
        IStakeManager07 _entryPoint,
        address _accountImpl,
        address _semiModularImpl,
        address _singleSignerValidationModule,
        address _webAuthnValidationModule,
        address owner
    ) ModularFactoryBase(_entryPoint, _accountImpl, _webAuthnValidationModule, owner) {
        SEMI_MODULAR_ACCOUNT_IMPL = _semiModularImpl;
        SINGLE_SIGNER_VALIDATION_MODULE = _singleSignerValidationModule;
    }

    /// Deploys the modular account of `owner`, or returns the existing one.
    function createAccount(address owner, uint256 salt, uint32 entityId) external returns (address account) {
        bool existed;
        (account, existed) = _deploy(MinimalProxy.creationCode(ACCOUNT_IMPL), getSalt(owner, salt, entityId));
        if (existed) return account;
        _initialize(account, SINGLE_SIGNER_VALIDATION_MODULE, entityId, abi.encode(entityId, owner));
        emit ModularAccountDeployed(account, owner, salt);
    }

    /// Deploys the semi-modular account of `owner`, or returns the existing one.
    function createSemiModularAccount(address owner, uint256 salt) external returns (address account) {
        bool existed;
        bytes memory code = SemiModularProxy.creationCode(SEMI_MODULAR_ACCOUNT_IMPL, owner);
        (account, existed) = _deploy(code, getSalt(owner, salt, NO_ENTITY));
        if (!existed) emit SemiModularAccountDeployed(account, owner, salt);
    }

    /// Returns the address of the modular account of `owner`, deployed or not.
    function getAddress(address owner, uint256 salt, uint32 entityId) external view returns (address) {
        return _addressOf(MinimalProxy.creationCode(ACCOUNT_IMPL), getSalt(owner, salt, entityId));
    }

    /// Returns the address of the semi-modular account of `owner`, deployed or not.
    function getAddressSemiModular(address owner, uint256 salt) external view returns (address) {
        bytes memory code = SemiModularProxy.creationCode(SEMI_MODULAR_ACCOUNT_IMPL, owner);
        return _addressOf(code, getSalt(owner, salt, NO_ENTITY));
    }

    function getSalt(address owner, uint256 salt, uint32 entityId) public pure returns (bytes32) {
        return keccak256(abi.encodePacked(owner, salt, entityId));
    }
}
