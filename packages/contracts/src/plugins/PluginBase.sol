// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../interfaces/UserOperation06.sol";
import {IPlugin} from "../modularAccount/erc6900/IPlugin.sol";
import {
    ManifestAssociatedFunction,
    ManifestAssociatedFunctionType,
    ManifestFunction
} from "../modularAccount/erc6900/PluginManifest.sol";

/// Implements a plugin without functions: a subclass overrides those it has. `msg.sender` is always an account.
abstract contract PluginBase is IPlugin {
    error AlreadyInitialized();
    // The published ABI of MultiOwnerPlugin names it too; only session keys raise it.
    error InvalidAction();
    error NotContractCaller(address caller);
    error NotImplemented(bytes4 selector, uint8 functionId);
    error NotInitialized();

    /// Refuses callers without code: a key cannot pass for an account.
    modifier onlyContract() {
        if (msg.sender.code.length == 0) revert NotContractCaller(msg.sender);
        _;
    }

    function preUserOpValidationHook(uint8 functionId, UserOperation calldata, bytes32)
        external
        virtual
        returns (uint256)
    {
        revert NotImplemented(msg.sig, functionId);
    }

    function preRuntimeValidationHook(uint8 functionId, address, uint256, bytes calldata) external virtual {
        revert NotImplemented(msg.sig, functionId);
    }

    function runtimeValidationFunction(uint8 functionId, address, uint256, bytes calldata) external virtual {
        revert NotImplemented(msg.sig, functionId);
    }

    function preExecutionHook(uint8 functionId, address, uint256, bytes calldata)
        external
        virtual
        returns (bytes memory)
    {
        revert NotImplemented(msg.sig, functionId);
    }

    function postExecutionHook(uint8 functionId, bytes calldata) external virtual {
        revert NotImplemented(msg.sig, functionId);
    }

    /// Lists the supported interfaces (ERC-165).
    function supportsInterface(bytes4 interfaceId) external view virtual returns (bool) {
        return interfaceId == 0x01ffc9a7 || interfaceId == type(IPlugin).interfaceId;
    }

    /// Assigns the same function to every selector.
    function _associate(
        bytes4[] memory selectors,
        ManifestAssociatedFunctionType kind,
        uint8 functionId,
        uint256 dependencyIndex
    ) internal pure returns (ManifestAssociatedFunction[] memory entries) {
        entries = new ManifestAssociatedFunction[](selectors.length);
        ManifestFunction memory shared = ManifestFunction(kind, functionId, dependencyIndex);
        for (uint256 i; i < selectors.length; ++i) {
            entries[i] = ManifestAssociatedFunction(selectors[i], shared);
        }
    }
}
