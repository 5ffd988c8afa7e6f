// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../../common/Ecdsa.sol";
import {UserOperation} from "../../interfaces/UserOperation06.sol";
import {ValidationData} from "../../modularAccount/ValidationData.sol";
import {IPlugin} from "../../modularAccount/erc6900/IPlugin.sol";
import {IPluginExecutor} from "../../modularAccount/erc6900/IPluginExecutor.sol";
import {Call} from "../../modularAccount/erc6900/IStandardExecutor.sol";
import {
    ManifestAssociatedFunction,
    ManifestAssociatedFunctionType,
    PluginManifest,
    PluginMetadata,
    SelectorPermission
} from "../../modularAccount/erc6900/PluginManifest.sol";
import {AssociatedAddresses} from "../AssociatedAddresses.sol";
import {PluginBase} from "../PluginBase.sol";
import {SessionKeyLoupe} from "./SessionKeyLoupe.sol";
import {SessionKeyPermissions} from "./SessionKeyPermissions.sol";
import {SessionKeyUpdates} from "./SessionKeyUpdates.sol";

/// Manages keys that may do part of what an account's owners may, for some time. For local and private chains.
/// Unaudited: public chains have the audited contract at the same address.
///
/// Permissions:
/// - an account's owners: through the account, addSessionKey, removeSessionKey, rotateSessionKey, updateKeyPermissions;
/// - a session key: through a user operation of the account, executeWithSessionKey, as far as its permissions go. The
///   account refuses its direct calls;
/// - an account that installed it: onInstall, onUninstall, and all of the above, each for itself alone;
/// - anyone: resetSessionKeyGasLimitTimestamp, which does what is due, and every view.
///
/// Limits count what calls send and request of limited tokens, not their consequences: a key that may call everything
/// may take the account's deposit from the entry point, or tokens without a limit. List the contracts it may call.
contract SessionKeyPlugin is PluginBase, SessionKeyPermissions, SessionKeyUpdates, SessionKeyLoupe {
    error InvalidSignature(address sessionKey);
    error LengthMismatch();

    event SessionKeyAdded(address indexed account, address indexed sessionKey, bytes32 indexed tag);
    event SessionKeyRemoved(address indexed account, address indexed sessionKey);
    event SessionKeyRotated(address indexed account, address indexed oldSessionKey, address indexed newSessionKey);

    uint8 private constant USER_OP_VALIDATION_SESSION_KEY = 0;

    // Dependency of the plugin, in the order in which an install names it: the owners' validation.
    uint256 private constant OWNER_RUNTIME_VALIDATION = 0;
    uint256 private constant OWNER_USER_OP_VALIDATION = 1;

    /// Adds the first keys. `data` is abi.encode(address[] keys, bytes32[] tags, bytes[][] permissions).
    function onInstall(bytes calldata data) external onlyContract {
        if (!AssociatedAddresses.isEmpty(KEYS, msg.sender)) revert AlreadyInitialized();
        (address[] memory keys, bytes32[] memory tags, bytes[][] memory permissions) =
            abi.decode(data, (address[], bytes32[], bytes[][]));
        if (keys.length != tags.length || keys.length != permissions.length) revert LengthMismatch();
        for (uint256 i; i < keys.length; ++i) {
            _addKey(keys[i], tags[i], permissions[i]);
        }
    }

    function onUninstall(bytes calldata) external {
        address[] memory keys = sessionKeysOf(msg.sender);
        for (uint256 i; i < keys.length; ++i) {
            _setNumber(msg.sender, keys[i], 0);
            emit SessionKeyRemoved(msg.sender, keys[i]);
        }
        AssociatedAddresses.clear(KEYS, msg.sender);
    }

    /// Makes the calls in the account's name. Permissions were validated before; spending counts now.
    function executeWithSessionKey(Call[] calldata calls, address sessionKey)
        external
        returns (bytes[] memory results)
    {
        _spend(calls, sessionKey);
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            results[i] =
                IPluginExecutor(msg.sender).executeFromPluginExternal(calls[i].target, calls[i].value, calls[i].data);
        }
    }

    function addSessionKey(address sessionKey, bytes32 tag, bytes[] calldata permissionUpdates) external {
        _addKey(sessionKey, tag, permissionUpdates);
    }

    /// Removes a key. `predecessor` is the result of findPredecessor.
    function removeSessionKey(address sessionKey, bytes32 predecessor) external {
        _removeKey(sessionKey, predecessor);
        emit SessionKeyRemoved(msg.sender, sessionKey);
    }

    /// Replaces a key. The new one takes over the permissions and what was spent.
    function rotateSessionKey(address oldSessionKey, bytes32 predecessor, address newSessionKey) external {
        uint48 number = _removeKey(oldSessionKey, predecessor);
        _insertKey(newSessionKey, number);
        emit SessionKeyRotated(msg.sender, oldSessionKey, newSessionKey);
    }

    /// Changes the permissions of a key. `updates`: see ISessionKeyPermissionsUpdates.
    function updateKeyPermissions(address sessionKey, bytes[] calldata updates) external {
        _update(sessionKey, _keyNumber(msg.sender, sessionKey), updates);
    }

    /// Stores the start of the gas limit's interval, for an operation whose execution failed and could not.
    function resetSessionKeyGasLimitTimestamp(address account, address sessionKey) external {
        _startGasInterval(_key(account, _keyNumber(account, sessionKey)));
    }

    /// Reports a wrong signature and reverts for every other refusal, so that gas can be estimated with any signature.
    function userOpValidationFunction(uint8 functionId, UserOperation calldata userOp, bytes32 userOpHash)
        external
        returns (uint256)
    {
        if (functionId != USER_OP_VALIDATION_SESSION_KEY) revert NotImplemented(msg.sig, functionId);
        // A plugin that depends on this one could have it judge a function of its own, with call data of this one.
        _permit(bytes4(userOp.callData) == this.executeWithSessionKey.selector);
        (Call[] memory calls, address sessionKey) = abi.decode(userOp.callData[4:], (Call[], address));
        address signer = Ecdsa.tryRecover(Ecdsa.toPersonalHash(userOpHash), userOp.signature);
        if (signer == address(0)) revert InvalidSignature(sessionKey);
        (uint48 validAfter, uint48 validUntil) = _checkOperation(userOp, calls, sessionKey);
        return ValidationData.pack(signer != sessionKey, validAfter, validUntil);
    }

    function pluginManifest() external pure returns (PluginManifest memory manifest) {
        manifest.dependencyInterfaceIds = new bytes4[](2);
        manifest.dependencyInterfaceIds[OWNER_RUNTIME_VALIDATION] = type(IPlugin).interfaceId;
        manifest.dependencyInterfaceIds[OWNER_USER_OP_VALIDATION] = type(IPlugin).interfaceId;
        manifest.permitAnyExternalAddress = true;
        manifest.canSpendNativeToken = true;

        bytes4[] memory keys = new bytes4[](1);
        keys[0] = this.executeWithSessionKey.selector;
        bytes4[] memory owners = _ownersFunctions();
        manifest.executionFunctions = new bytes4[](5);
        manifest.userOpValidationFunctions = new ManifestAssociatedFunction[](5);
        manifest.executionFunctions[0] = keys[0];
        manifest.userOpValidationFunctions[0] =
            _associate(keys, ManifestAssociatedFunctionType.SELF, USER_OP_VALIDATION_SESSION_KEY, 0)[0];

        ManifestAssociatedFunctionType dependency = ManifestAssociatedFunctionType.DEPENDENCY;
        manifest.runtimeValidationFunctions = _associate(owners, dependency, 0, OWNER_RUNTIME_VALIDATION);
        ManifestAssociatedFunction[] memory byOperation = _associate(owners, dependency, 0, OWNER_USER_OP_VALIDATION);
        for (uint256 i; i < owners.length; ++i) {
            manifest.executionFunctions[i + 1] = owners[i];
            manifest.userOpValidationFunctions[i + 1] = byOperation[i];
        }
        // The permissions of a key are checked in user operations only.
        manifest.preRuntimeValidationHooks =
            _associate(keys, ManifestAssociatedFunctionType.PRE_HOOK_ALWAYS_DENY, 0, 0);
    }

    function pluginMetadata() external pure returns (PluginMetadata memory metadata) {
        metadata = PluginMetadata("Session Key Plugin", "1.0.1", "Alchemy", new SelectorPermission[](4));
        bytes4[] memory owners = _ownersFunctions();
        for (uint256 i; i < 3; ++i) {
            metadata.permissionDescriptors[i] = SelectorPermission(owners[i], "Modify Session Keys");
        }
        metadata.permissionDescriptors[3] = SelectorPermission(owners[3], "Modify Session Key Permissions");
    }

    function _addKey(address sessionKey, bytes32 tag, bytes[] memory permissions) private {
        uint48 number = _takeNumber(msg.sender);
        _insertKey(sessionKey, number);
        emit SessionKeyAdded(msg.sender, sessionKey, tag);
        _update(sessionKey, number, permissions);
    }

    function _insertKey(address sessionKey, uint48 number) private {
        if (!AssociatedAddresses.add(KEYS, msg.sender, sessionKey)) revert InvalidSessionKey(sessionKey);
        _setNumber(msg.sender, sessionKey, number);
    }

    function _removeKey(address sessionKey, bytes32 predecessor) private returns (uint48 number) {
        number = _keyNumber(msg.sender, sessionKey);
        address before =
            predecessor == bytes32(uint256(1)) ? AssociatedAddresses.ANCHOR : address(bytes20(predecessor));
        if (!AssociatedAddresses.remove(KEYS, msg.sender, sessionKey, before)) revert InvalidSessionKey(sessionKey);
        _setNumber(msg.sender, sessionKey, 0);
    }

    function _ownersFunctions() private pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](4);
        selectors[0] = this.addSessionKey.selector;
        selectors[1] = this.removeSessionKey.selector;
        selectors[2] = this.rotateSessionKey.selector;
        selectors[3] = this.updateKeyPermissions.selector;
    }
}
