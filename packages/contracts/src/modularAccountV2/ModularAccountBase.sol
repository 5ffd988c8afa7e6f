// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenReceiver} from "../common/TokenReceiver.sol";
import {UupsUpgradeable} from "../common/UupsUpgradeable.sol";
import {Initializable} from "../common/Initializable.sol";
import {IERC1271} from "../interfaces/IERC1271.sol";
import {AccountStorage} from "./AccountStorage.sol";
import {AccountValidation} from "./AccountValidation.sol";
import {Encoding} from "./Encoding.sol";
import {IAccount, IAccountExecute} from "./IAccount.sol";
import {NativeSelectors} from "./NativeSelectors.sol";
import {ValidationManager} from "./ValidationManager.sol";
import {
    ExecutionDataView, ExecutionManifest, IModularAccount, IModularAccountView, ValidationDataView
} from "./erc6900/IModularAccount.sol";

/// Implements what all modular accounts v2 share (ERC-6900 v0.8, entry point 0.7).
///
/// Permissions:
/// - execute, executeBatch, performCreate, upgradeToAndCall, the installs, and functions of modules: callers that pass a
///   validation. It checks the operation, or the call by executeWithRuntimeValidation; a direct call needs a validation
///   for its caller;
/// - validateUserOp, executeUserOp: the entry point alone;
/// - initialize functions: the transaction that creates the account, or an upgrade that brings the code;
/// - anyone: sending ether and tokens, every view, and functions that a module opens to all.
abstract contract ModularAccountBase is ValidationManager, IModularAccountView, TokenReceiver, UupsUpgradeable {
    address private immutable _executionInstallDelegate;

    /// All v2 accounts are one family: they keep their modules when they change between them.
    constructor(address entryPoint_, address executionInstallDelegate)
        AccountValidation(entryPoint_)
        Initializable("ModularAccountV2")
    {
        _executionInstallDelegate = executionInstallDelegate;
    }

    function installExecution(address, ExecutionManifest calldata, bytes calldata) external override guarded {
        _delegateInstall();
    }

    function uninstallExecution(address, ExecutionManifest calldata, bytes calldata) external override guarded {
        _delegateInstall();
    }

    function entryPoint() external view returns (address) {
        return _entryPoint;
    }

    function getExecutionData(bytes4 selector) external view override returns (ExecutionDataView memory data) {
        AccountStorage.Execution storage execution = AccountStorage.modules().executions[selector];
        data.executionHooks = execution.hooks;
        if (!_isNative(selector)) {
            data.module = execution.module;
            data.skipRuntimeValidation = execution.skipRuntimeValidation;
            data.allowGlobalValidation = execution.allowGlobalValidation;
            return data;
        }
        data.module = address(this);
        data.allowGlobalValidation = _isGuarded(selector);
        data.skipRuntimeValidation = !data.allowGlobalValidation;
    }

    function getValidationData(bytes24 validationFunction)
        external
        view
        override
        returns (ValidationDataView memory data)
    {
        uint192 key = Encoding.keyOf(validationFunction);
        AccountStorage.Validation storage validation = _validationOf(key);
        if (validation.module != address(bytes20(validationFunction))) return data;
        data.validationFlags = _flagsOf(validation, key);
        data.validationHooks = validation.validationHooks;
        data.executionHooks = validation.executionHooks;
        data.selectors = validation.selectors;
    }

    function upgradeToAndCall(address newImplementation, bytes calldata data)
        public
        payable
        virtual
        override
        onlyProxy
        guarded
    {
        // Without it, anybody could initialize an account that no initialize function has set up.
        _claim();
        super.upgradeToAndCall(newImplementation, data);
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (interfaceId == 0xffffffff) return false;
        return super.supportsInterface(interfaceId) || interfaceId == type(IModularAccount).interfaceId
            || interfaceId == type(IModularAccountView).interfaceId || interfaceId == type(IAccount).interfaceId
            || interfaceId == type(IAccountExecute).interfaceId || interfaceId == type(IERC1271).interfaceId
            || AccountStorage.modules().interfaces[interfaceId] != 0;
    }

    function _isGuarded(bytes4 selector) internal view virtual override returns (bool) {
        return NativeSelectors.isGuarded(selector);
    }

    /// Lists the account's own functions.
    function _isNative(bytes4 selector) internal view virtual returns (bool) {
        return NativeSelectors.contains(selector);
    }

    /// Leaves everything that is installed to a generation that is over.
    function _leave() internal override {
        AccountStorage.State storage state = AccountStorage.state();
        (state.fallbackSigner, state.isFallbackDisabled) = (address(0), false);
        (state.hasFallbackHooks, state.hasExecutions) = (false, false);
        ++state.generation;
    }

    /// Accepts every caller: the validation has decided.
    function _authorizeUpgrade(address) internal view override {}

    /// Runs the same function of the delegate on the account's storage; together their code would be too large.
    function _delegateInstall() private {
        (bool success, bytes memory result) = _executionInstallDelegate.delegatecall(msg.data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }
}
