// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenReceiver} from "../common/TokenReceiver.sol";
import {IERC1822} from "../common/Proxiable.sol";
import {IAccount} from "./IAccount.sol";
import {IAccountLoupe} from "./erc6900/IAccountLoupe.sol";
import {IPlugin} from "./erc6900/IPlugin.sol";
import {IPluginExecutor} from "./erc6900/IPluginExecutor.sol";
import {IPluginManager} from "./erc6900/IPluginManager.sol";
import {IStandardExecutor} from "./erc6900/IStandardExecutor.sol";

/// Lists functions that no plugin may add, by their owner.
library NativeSelectors {
    /// Lists the account's own functions: those of a plugin would never be reached.
    function contains(bytes4 selector) internal pure returns (bool) {
        return _isExecution(selector) || _isManagement(selector) || _isAnswer(selector);
    }

    /// Lists functions that accounts call on plugins: an account with them could be taken for a plugin.
    function isPlugins(bytes4 selector) internal pure returns (bool) {
        return selector == IPlugin.onInstall.selector || selector == IPlugin.onUninstall.selector
            || selector == IPlugin.preUserOpValidationHook.selector
            || selector == IPlugin.userOpValidationFunction.selector
            || selector == IPlugin.preRuntimeValidationHook.selector
            || selector == IPlugin.runtimeValidationFunction.selector || selector == IPlugin.preExecutionHook.selector
            || selector == IPlugin.postExecutionHook.selector || selector == IPlugin.pluginManifest.selector
            || selector == IPlugin.pluginMetadata.selector;
    }

    /// Lists functions of paymasters and aggregators (ERC-4337): the entry point could take the account for one.
    function isEntryPoints(bytes4 selector) internal pure returns (bool) {
        return selector == 0xf465c77e // validatePaymasterUserOp
            || selector == 0xa9a23409 // postOp
            || selector == 0xe3563a4f // validateSignatures
            || selector == 0x64c530cd // validateUserOpSignature
            || selector == 0x275e2d79; // aggregateSignatures
    }

    function _isExecution(bytes4 selector) private pure returns (bool) {
        return selector == IStandardExecutor.execute.selector || selector == IStandardExecutor.executeBatch.selector
            || selector == IPluginExecutor.executeFromPlugin.selector
            || selector == IPluginExecutor.executeFromPluginExternal.selector
            || selector == IAccount.validateUserOp.selector;
    }

    function _isManagement(bytes4 selector) private pure returns (bool) {
        return selector == IPluginManager.installPlugin.selector || selector == IPluginManager.uninstallPlugin.selector
            || selector == IAccount.initialize.selector || selector == IAccount.upgradeToAndCall.selector
            || selector == IERC1822.proxiableUUID.selector;
    }

    function _isAnswer(bytes4 selector) private pure returns (bool) {
        return selector == IAccountLoupe.getExecutionFunctionConfig.selector
            || selector == IAccountLoupe.getExecutionHooks.selector
            || selector == IAccountLoupe.getPreValidationHooks.selector
            || selector == IAccountLoupe.getInstalledPlugins.selector || selector == IAccount.entryPoint.selector
            || selector == IAccount.getNonce.selector || selector == IAccount.tokensReceived.selector
            || selector == TokenReceiver.supportsInterface.selector
            || selector == TokenReceiver.onERC721Received.selector
            || selector == TokenReceiver.onERC1155Received.selector
            || selector == TokenReceiver.onERC1155BatchReceived.selector;
    }
}
