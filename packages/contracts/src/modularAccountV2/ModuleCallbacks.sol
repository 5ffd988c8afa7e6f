// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Erc165} from "../modularAccount/Erc165.sol";
import {IModule} from "./erc6900/IModule.sol";

/// Tells modules that they are installed or uninstalled. Without data a module is not called.
library ModuleCallbacks {
    error InterfaceNotSupported(address module);
    error ModuleInstallCallbackFailed(address module, bytes revertReason);

    function install(address module, bytes calldata data, bytes4 interfaceId) internal {
        if (data.length == 0) return;
        if (!Erc165.isSupported(module, interfaceId)) revert InterfaceNotSupported(module);
        try IModule(module).onInstall(data) {}
        catch (bytes memory reason) {
            revert ModuleInstallCallbackFailed(module, reason);
        }
    }

    /// Returns false when the module reverts: no module can keep itself installed.
    function uninstall(address module, bytes calldata data) internal returns (bool success) {
        if (data.length == 0) return true;
        (success,) = module.call(abi.encodeCall(IModule.onUninstall, (data)));
    }
}
