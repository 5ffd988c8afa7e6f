// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {OwnerSignature} from "../common/OwnerSignature.sol";
import {Proxiable} from "../common/Proxiable.sol";
import {IERC1271} from "../interfaces/IERC1271.sol";
import {UserOperation} from "../interfaces/UserOperation06.sol";
import {IAccount} from "../modularAccount/IAccount.sol";
import {IPlugin} from "../modularAccount/erc6900/IPlugin.sol";
import {IPluginManager} from "../modularAccount/erc6900/IPluginManager.sol";
import {IStandardExecutor} from "../modularAccount/erc6900/IStandardExecutor.sol";
import {
    ManifestAssociatedFunction,
    ManifestAssociatedFunctionType,
    ManifestFunction,
    PluginManifest,
    PluginMetadata,
    SelectorPermission
} from "../modularAccount/erc6900/PluginManifest.sol";
import {AssociatedAddresses} from "./AssociatedAddresses.sol";
import {PluginBase} from "./PluginBase.sol";

/// Manages owners of modular accounts, keys or contracts, each with all rights. For local and private chains.
/// Unaudited: public chains have the audited contract at the same address.
///
/// Permissions:
/// - an account that installed it: onInstall, updateOwners, onUninstall, each for itself alone;
/// - anyone: every view.
///
/// A key signs the personal hash of a user operation, a contract judges the bare one. For messages both sign the digest
/// wrapped in the account's own domain, so that a signature is invalid for other accounts.
contract MultiOwnerPlugin is PluginBase, IERC1271 {
    error EmptyOwnersNotAllowed();
    error InvalidOwner(address owner);
    error NotAuthorized();
    error OwnerDoesNotExist(address owner);

    event OwnerUpdated(address indexed account, address[] addedOwners, address[] removedOwners);

    /// Validates a direct call: an owner, or the account itself.
    uint8 private constant RUNTIME_VALIDATION_OWNER_OR_SELF = 0;
    uint8 private constant USER_OP_VALIDATION_OWNER = 1;

    bytes12 private constant OWNERS = "owners";

    string private constant NAME = "Multi Owner Plugin";
    string private constant VERSION = "1.0.0";
    string private constant AUTHOR = "Alchemy";

    bytes32 private constant DOMAIN_TYPE_HASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)");
    bytes32 private constant MESSAGE_TYPE_HASH = keccak256("AlchemyModularAccountMessage(bytes message)");

    bytes32 private immutable _salt = bytes32(bytes20(address(this)));

    /// Adds the first owners. `data` is abi.encode(address[] owners).
    function onInstall(bytes calldata data) external onlyContract {
        if (!AssociatedAddresses.isEmpty(OWNERS, msg.sender)) revert AlreadyInitialized();
        address[] memory owners = abi.decode(data, (address[]));
        if (owners.length == 0) revert EmptyOwnersNotAllowed();
        _add(owners);
        emit OwnerUpdated(msg.sender, owners, new address[](0));
    }

    function onUninstall(bytes calldata) external {
        address[] memory owners = ownersOf(msg.sender);
        AssociatedAddresses.clear(OWNERS, msg.sender);
        emit OwnerUpdated(msg.sender, new address[](0), owners);
    }

    /// Removes, then adds: an address in both lists stays an owner.
    function updateOwners(address[] calldata ownersToAdd, address[] calldata ownersToRemove) external {
        if (AssociatedAddresses.isEmpty(OWNERS, msg.sender)) revert NotInitialized();
        for (uint256 i; i < ownersToRemove.length; ++i) {
            address owner = ownersToRemove[i];
            address predecessor = AssociatedAddresses.predecessorOf(OWNERS, msg.sender, owner);
            if (!AssociatedAddresses.remove(OWNERS, msg.sender, owner, predecessor)) revert OwnerDoesNotExist(owner);
        }
        _add(ownersToAdd);
        if (AssociatedAddresses.isEmpty(OWNERS, msg.sender)) revert EmptyOwnersNotAllowed();
        emit OwnerUpdated(msg.sender, ownersToAdd, ownersToRemove);
    }

    function runtimeValidationFunction(uint8 functionId, address sender, uint256, bytes calldata)
        external
        view
        override
    {
        if (functionId != RUNTIME_VALIDATION_OWNER_OR_SELF) revert NotImplemented(msg.sig, functionId);
        if (sender != msg.sender && !isOwnerOf(msg.sender, sender)) revert NotAuthorized();
    }

    function userOpValidationFunction(uint8 functionId, UserOperation calldata userOp, bytes32 userOpHash)
        external
        view
        returns (uint256)
    {
        if (functionId != USER_OP_VALIDATION_OWNER) revert NotImplemented(msg.sig, functionId);
        return _isOwners(Ecdsa.toPersonalHash(userOpHash), userOpHash, userOp.signature) ? 0 : 1;
    }

    /// Verifies a signature for the calling account (ERC-1271). Never reverts.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        bytes32 wrapped = getMessageHash(msg.sender, abi.encode(digest));
        return _isOwners(wrapped, wrapped, signature) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// Returns the domain of the calling account (ERC-5267). The plugin's address is the salt. `fields` names the five
    /// in use.
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
        return (hex"1f", NAME, VERSION, block.chainid, msg.sender, _salt, new uint256[](0));
    }

    function pluginManifest() external pure returns (PluginManifest memory manifest) {
        manifest.executionFunctions = new bytes4[](3);
        manifest.executionFunctions[0] = this.updateOwners.selector;
        manifest.executionFunctions[1] = this.eip712Domain.selector;
        manifest.executionFunctions[2] = this.isValidSignature.selector;

        bytes4[] memory owned = _ownersFunctions();
        manifest.userOpValidationFunctions =
            _associate(owned, ManifestAssociatedFunctionType.SELF, USER_OP_VALIDATION_OWNER, 0);

        ManifestFunction memory allow =
            ManifestFunction(ManifestAssociatedFunctionType.RUNTIME_VALIDATION_ALWAYS_ALLOW, 0, 0);
        ManifestFunction memory ownerOrSelf =
            ManifestFunction(ManifestAssociatedFunctionType.SELF, RUNTIME_VALIDATION_OWNER_OR_SELF, 0);
        manifest.runtimeValidationFunctions = new ManifestAssociatedFunction[](8);
        for (uint256 i; i < owned.length; ++i) {
            manifest.runtimeValidationFunctions[i] = ManifestAssociatedFunction(owned[i], ownerOrSelf);
        }
        manifest.runtimeValidationFunctions[6] = ManifestAssociatedFunction(this.isValidSignature.selector, allow);
        manifest.runtimeValidationFunctions[7] = ManifestAssociatedFunction(this.eip712Domain.selector, allow);
    }

    function pluginMetadata() external pure returns (PluginMetadata memory metadata) {
        metadata = PluginMetadata(NAME, VERSION, AUTHOR, new SelectorPermission[](1));
        metadata.permissionDescriptors[0] = SelectorPermission(this.updateOwners.selector, "Modify Ownership");
    }

    /// Returns the bytes whose hash an owner of `account` signs.
    function encodeMessageData(address account, bytes memory message) public view returns (bytes memory) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPE_HASH, keccak256(bytes(NAME)), keccak256(bytes(VERSION)), block.chainid, account, _salt
            )
        );
        return abi.encodePacked("\x19\x01", domain, keccak256(abi.encode(MESSAGE_TYPE_HASH, keccak256(message))));
    }

    /// Returns the EIP-712 hash of `AlchemyModularAccountMessage(message)` in the account's domain.
    function getMessageHash(address account, bytes memory message) public view returns (bytes32) {
        return keccak256(encodeMessageData(account, message));
    }

    function isOwnerOf(address account, address ownerToCheck) public view returns (bool) {
        return AssociatedAddresses.contains(OWNERS, account, ownerToCheck);
    }

    /// Lists the owners. Empty for an account without the plugin.
    function ownersOf(address account) public view returns (address[] memory) {
        return AssociatedAddresses.values(OWNERS, account);
    }

    /// Adds owners. Reverts for an address that is one already.
    function _add(address[] memory owners) private {
        for (uint256 i; i < owners.length; ++i) {
            if (!AssociatedAddresses.add(OWNERS, msg.sender, owners[i])) {
                revert InvalidOwner(owners[i]);
            }
        }
    }

    /// Checks whether an owner of the calling account made `signature`.
    function _isOwners(bytes32 keyHash, bytes32 contractHash, bytes calldata signature) private view returns (bool) {
        if (isOwnerOf(msg.sender, Ecdsa.tryRecover(keyHash, signature))) return true;
        address[] memory owners = ownersOf(msg.sender);
        for (uint256 i; i < owners.length; ++i) {
            if (OwnerSignature.isByContract(owners[i], contractHash, signature)) return true;
        }
        return false;
    }

    /// Lists functions that require an owner: all that change the account or spend its assets.
    function _ownersFunctions() private pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](6);
        selectors[0] = this.updateOwners.selector;
        selectors[1] = IStandardExecutor.execute.selector;
        selectors[2] = IStandardExecutor.executeBatch.selector;
        selectors[3] = IPluginManager.installPlugin.selector;
        selectors[4] = IPluginManager.uninstallPlugin.selector;
        selectors[5] = IAccount.upgradeToAndCall.selector;
    }
}
