// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenSender} from "../common/TokenSender.sol";
import {TwoStepOwner} from "../common/TwoStepOwner.sol";
import {IStakeManager07} from "../interfaces/IStakeManager07.sol";
import {MinimalProxy} from "../lightAccount/v2/MinimalProxy.sol";
import {Encoding} from "./Encoding.sol";
import {ModularAccount} from "./ModularAccount.sol";

/// Deploys proxies of modular accounts v2 with CREATE2, at the addresses they have on public chains.
///
/// Anyone may create any account. The owner of the factory manages its stake at the entry point and may withdraw what
/// was sent to the factory, and has no power over accounts.
abstract contract ModularFactoryBase is TokenSender, TwoStepOwner {
    error TransferFailed();

    event WebAuthnModularAccountDeployed(
        address indexed account, uint256 indexed ownerX, uint256 indexed ownerY, uint256 salt
    );

    IStakeManager07 public immutable ENTRY_POINT;
    address public immutable ACCOUNT_IMPL;
    address public immutable WEBAUTHN_VALIDATION_MODULE;

    uint8 private constant EVERYTHING =
        Encoding.USER_OP_VALIDATION | Encoding.SIGNATURE_VALIDATION | Encoding.GLOBAL_VALIDATION;

    constructor(IStakeManager07 entryPoint, address accountImpl, address webAuthnValidationModule, address owner)
        TwoStepOwner(owner)
    {
        ENTRY_POINT = entryPoint;
        ACCOUNT_IMPL = accountImpl;
        WEBAUTHN_VALIDATION_MODULE = webAuthnValidationModule;
    }

    receive() external payable {}

    /// Deploys the account of a passkey, or returns the existing one.
    function createWebAuthnAccount(uint256 ownerX, uint256 ownerY, uint256 salt, uint32 entityId)
        external
        returns (address account)
    {
        bool existed;
        bytes32 combined = getSaltWebAuthn(ownerX, ownerY, salt, entityId);
        (account, existed) = _deploy(MinimalProxy.creationCode(ACCOUNT_IMPL), combined);
        if (existed) return account;
        _initialize(account, WEBAUTHN_VALIDATION_MODULE, entityId, abi.encode(entityId, ownerX, ownerY));
        emit WebAuthnModularAccountDeployed(account, ownerX, ownerY, salt);
    }

    /// Adds the value to the factory's stake, and locks it for `unstakeDelay` seconds from `unlockStake` on.
    function addStake(uint32 unstakeDelay) external payable onlyOwner {
        ENTRY_POINT.addStake{value: msg.value}(unstakeDelay);
    }

    function unlockStake() external onlyOwner {
        ENTRY_POINT.unlockStake();
    }

    function withdrawStake(address payable withdrawAddress) external onlyOwner {
        ENTRY_POINT.withdrawStake(withdrawAddress);
    }

    /// Withdraws assets sent to the factory: ether (`token` zero) or an ERC-20.
    function withdraw(address payable to, address token, uint256 amount) external onlyOwner {
        if (token != address(0)) return _sendToken(token, to, amount);
        (bool success,) = to.call{value: amount}("");
        if (!success) revert TransferFailed();
    }

    /// Returns the address of the account of a passkey, deployed or not.
    function getAddressWebAuthn(uint256 ownerX, uint256 ownerY, uint256 salt, uint32 entityId)
        external
        view
        returns (address)
    {
        return _addressOf(MinimalProxy.creationCode(ACCOUNT_IMPL), getSaltWebAuthn(ownerX, ownerY, salt, entityId));
    }

    function getSaltWebAuthn(uint256 ownerX, uint256 ownerY, uint256 salt, uint32 entityId)
        public
        pure
        returns (bytes32)
    {
        return keccak256(abi.encodePacked(ownerX, ownerY, salt, entityId));
    }

    /// Returns the account, and whether it existed before: getSenderAddress of the entry point and clients that race
    /// themselves rely on a result in that case, too.
    function _deploy(bytes memory code, bytes32 salt) internal returns (address account, bool existed) {
        account = _addressOf(code, salt);
        if (account.code.length != 0) return (account, true);
        assembly ("memory-safe") {
            // The constructor of the proxy cannot revert; it can only run out of gas.
            if iszero(create2(0, add(code, 0x20), mload(code), salt)) { revert(0, 0) }
        }
    }

    /// Gives the account its first validation, which may do everything.
    function _initialize(address account, address module, uint32 entityId, bytes memory installData) internal {
        bytes25 config = bytes25(abi.encodePacked(module, entityId, EVERYTHING));
        ModularAccount(payable(account)).initializeWithValidation(config, new bytes4[](0), installData, new bytes[](0));
    }

    /// Computes a CREATE2 address (EIP-1014).
    function _addressOf(bytes memory code, bytes32 salt) internal view returns (address) {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(code)));
        return address(uint160(uint256(hash)));
    }
}
