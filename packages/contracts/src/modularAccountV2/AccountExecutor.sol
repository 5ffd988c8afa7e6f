// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {AccountStorage} from "./AccountStorage.sol";
import {AccountValidation} from "./AccountValidation.sol";
import {Encoding} from "./Encoding.sol";
import {IAccountExecute} from "./IAccount.sol";
import {Segments} from "./Segments.sol";
import {Call, IModularAccount} from "./erc6900/IModularAccount.sol";

/// Executes the account's own calls, and the functions that modules add.
abstract contract AccountExecutor is IModularAccount, IAccountExecute, AccountValidation {
    using Segments for bytes;

    error CreateFailed();

    /// Guards the account's own functions. The entry point and the account itself call what was validated before; another
    /// caller needs a direct-call validation.
    modifier guarded() {
        (PostHook[] memory outer, PostHook[] memory inner) = _enter();
        _;
        _runPostHooks(inner);
        _runPostHooks(outer);
    }

    receive() external payable {}

    /// Runs a function that a module added.
    fallback(bytes calldata data) external payable returns (bytes memory result) {
        address module = AccountStorage.modules().executions[msg.sig].module;
        if (module == address(0)) revert UnrecognizedFunction(msg.sig);
        (PostHook[] memory outer, PostHook[] memory inner) = _enter();
        result = _call(module, 0, data);
        _runPostHooks(inner);
        _runPostHooks(outer);
    }

    function execute(address target, uint256 value, bytes calldata data)
        external
        payable
        override
        guarded
        returns (bytes memory result)
    {
        return _call(target, value, data);
    }

    function executeBatch(Call[] calldata calls) external payable override guarded returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            results[i] = _call(calls[i].target, calls[i].value, calls[i].data);
        }
    }

    /// Runs the call data of a validated operation behind this function's selector, with the hooks of its validation.
    function executeUserOp(PackedUserOperation calldata userOp, bytes32) external override {
        if (msg.sender != _entryPoint) revert NotEntryPoint();
        (uint192 key,) = Encoding.fromNonce(userOp.nonce);
        AccountStorage.Validation storage validation = _validationOf(key);
        // An operation before this one in the bundle may have uninstalled the validation, and its hooks with it.
        _requireUserOps(validation, key);
        _callSelf(validation, key, userOp.callData[4:], msg.data);
    }

    function executeWithRuntimeValidation(bytes calldata data, bytes calldata authorization)
        external
        payable
        override
        returns (bytes memory)
    {
        (uint192 key, uint8 options, bytes calldata rest) = Encoding.fromSignature(authorization);
        AccountStorage.Validation storage validation = _validationOf(key);
        _requireApplies(validation, key, _scopeOf(options), data);
        if (_hasValidationHooks(validation, key)) rest = _runRuntimeHooks(validation, data, rest, false);
        _askAboutRuntime(validation, key, data, rest.last());
        return _callSelf(validation, key, data, msg.data);
    }

    /// Creates a contract by CREATE, or by CREATE2 with the salt.
    function performCreate(uint256 value, bytes calldata initCode, bool isCreate2, bytes32 salt)
        external
        payable
        guarded
        returns (address createdAddr)
    {
        bytes memory code = initCode;
        if (isCreate2) {
            assembly ("memory-safe") {
                createdAddr := create2(value, add(code, 0x20), mload(code), salt)
            }
        } else {
            assembly ("memory-safe") {
                createdAddr := create(value, add(code, 0x20), mload(code))
            }
        }
        if (createdAddr == address(0)) revert CreateFailed();
    }

    /// Reverts unless the caller may call the function. Runs the hooks of the caller's validation (outer) and those of
    /// the function (inner).
    function _enter() private returns (PostHook[] memory outer, PostHook[] memory inner) {
        AccountStorage.Execution storage execution = AccountStorage.modules().executions[msg.sig];
        bool hasExecutions = AccountStorage.state().hasExecutions;
        bool isOpen = hasExecutions && execution.skipRuntimeValidation;
        if (msg.sender != _entryPoint && msg.sender != address(this) && !isOpen) {
            uint192 key = Encoding.directCallKey(msg.sender);
            AccountStorage.Validation storage validation = _validationOf(key);
            _requireApplies(validation, key, Scope.Either, msg.data);
            if (validation.hasValidationHooks) _runRuntimeHooks(validation, msg.data, msg.data[:0], true);
            if (validation.hasExecutionHooks) outer = _runPreHooks(validation.executionHooks, msg.data);
        }
        if (hasExecutions && execution.hasHooks) inner = _runPreHooks(execution.hooks, msg.data);
    }
}
