// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "../interfaces/IERC1271.sol";
import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {ValidationData} from "../modularAccount/ValidationData.sol";
import {AccountHooks} from "./AccountHooks.sol";
import {AccountStorage} from "./AccountStorage.sol";
import {Encoding} from "./Encoding.sol";
import {IAccountExecute} from "./IAccount.sol";
import {Segments} from "./Segments.sol";
import {Call, IModularAccount} from "./erc6900/IModularAccount.sol";
import {IValidationModule} from "./erc6900/IModule.sol";

/// Decides what a validation may do, and asks it about operations, calls and signatures.
abstract contract AccountValidation is IERC1271, AccountHooks {
    using Segments for bytes;

    error DeferredActionSignatureInvalid();
    error DeferredValidationHasValidationHooks();
    error NotEntryPoint();
    error RequireUserOperationContext();
    error SelfCallRecursionDepthExceeded();
    error SignatureValidationInvalid(bytes24 validationFunction);
    error UnrecognizedFunction(bytes4 selector);
    error UserOpValidationInvalid(bytes24 validationFunction);
    error ValidationFunctionMissing(bytes4 selector);

    /// Tells how a validation was named: by its selectors, as global, or by a direct call, for which either will do.
    enum Scope {
        Selected,
        Global,
        Either
    }

    bytes32 private constant DOMAIN_TYPE_HASH = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
    bytes32 private constant DEFERRED_ACTION_TYPE_HASH =
        keccak256("DeferredAction(uint256 nonce,uint48 deadline,bytes call)");

    address internal immutable _entryPoint;

    constructor(address entryPoint_) {
        _entryPoint = entryPoint_;
    }

    /// Validates an operation (ERC-4337, entry point 0.7) and pays what the account owes. Before, it does the deferred
    /// action that the signature may begin with.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        if (msg.sender != _entryPoint) revert NotEntryPoint();
        (uint192 key, uint8 options) = Encoding.fromNonce(userOp.nonce);
        bytes calldata signature = userOp.signature;
        uint256 deferred;
        if (options & Encoding.HAS_DEFERRED_ACTION != 0) (deferred, signature) = _doDeferredAction(userOp.nonce, signature);

        AccountStorage.Validation storage validation = _validationOf(key);
        bytes calldata callData = userOp.callData;
        bool isInContext = bytes4(callData) == IAccountExecute.executeUserOp.selector;
        // The entry point calls the account without telling by which validation, so hooks could not run.
        if (!isInContext && _hasExecutionHooks(validation, key)) revert RequireUserOperationContext();
        _requireApplies(validation, key, _scopeOf(options), isInContext ? callData[4:] : callData);
        _requireUserOps(validation, key);
        validationData = _askAboutUserOp(validation, key, userOp, userOpHash, signature);
        if (deferred != 0) validationData = ValidationData.intersect(deferred, validationData);
        if (missingAccountFunds != 0) {
            // The entry point checks its own balance afterwards and reports a failure.
            (bool success,) = payable(msg.sender).call{value: missingAccountFunds}("");
            (success);
        }
    }

    /// Verifies a signature (ERC-1271): options and entity id of the validation, data of its hooks, its signature.
    function isValidSignature(bytes32 hash, bytes calldata signature) public view virtual returns (bytes4) {
        (uint192 key,, bytes calldata rest) = Encoding.fromSignature(signature);
        AccountStorage.Validation storage validation = _validationOf(key);
        _requireSigning(validation, key);
        if (_hasValidationHooks(validation, key)) rest = _runSignatureHooks(validation, hash, rest);
        return _askAboutSignature(validation, key, hash, rest.last(), msg.sender);
    }

    /// Reverts unless the validation may make the account call itself with `callData`.
    function _requireApplies(
        AccountStorage.Validation storage validation,
        uint192 key,
        Scope scope,
        bytes calldata callData
    ) internal view {
        bytes4 selector = bytes4(callData);
        if (callData.length < 4) revert UnrecognizedFunction(selector);
        _requireSelector(validation, key, scope, selector);
        if (selector == IModularAccount.execute.selector) {
            // Wrapped, the account's other functions would be called without their own check.
            if (callData.length >= 36 && address(uint160(uint256(bytes32(callData[4:36])))) == address(this)) {
                revert SelfCallRecursionDepthExceeded();
            }
        } else if (selector == IModularAccount.executeBatch.selector) {
            Call[] memory calls = abi.decode(callData[4:], (Call[]));
            for (uint256 i; i < calls.length; ++i) {
                if (calls[i].target == address(this)) _requireInner(validation, key, scope, calls[i].data);
            }
        }
    }

    function _requireUserOps(AccountStorage.Validation storage validation, uint192 key) internal view {
        if (_flagsOf(validation, key) & Encoding.USER_OP_VALIDATION == 0) {
            revert UserOpValidationInvalid(_entityOf(validation, key));
        }
    }

    /// Asks the validation about a call; it reverts to refuse.
    function _askAboutRuntime(
        AccountStorage.Validation storage validation,
        uint192 key,
        bytes calldata data,
        bytes calldata authorization
    ) internal virtual {
        IValidationModule(validation.module).validateRuntime(
            address(this), uint32(key), msg.sender, msg.value, data, authorization
        );
    }

    function _askAboutSignature(
        AccountStorage.Validation storage validation,
        uint192 key,
        bytes32 hash,
        bytes calldata signature,
        address sender
    ) internal view virtual returns (bytes4) {
        return IValidationModule(validation.module).validateSignature(
            address(this), uint32(key), sender, hash, signature
        );
    }

    function _askAboutUserOp(
        AccountStorage.Validation storage validation,
        uint192 key,
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        bytes calldata signature
    ) internal virtual returns (uint256 validationData) {
        PackedUserOperation memory asked = userOp;
        uint256 hooked;
        bool isHooked = _hasValidationHooks(validation, key);
        if (isHooked) (hooked, signature) = _runUserOpHooks(validation, asked, userOpHash, signature);
        asked.signature = signature.last();
        validationData = IValidationModule(validation.module).validateUserOp(uint32(key), asked, userOpHash);
        return isHooked ? ValidationData.intersect(hooked, validationData) : validationData;
    }

    function _hasValidationHooks(AccountStorage.Validation storage validation, uint192 key)
        internal
        view
        returns (bool)
    {
        return _mayHaveHooks(key) && validation.hasValidationHooks;
    }

    function _hasExecutionHooks(AccountStorage.Validation storage validation, uint192 key)
        internal
        view
        returns (bool)
    {
        return _mayHaveHooks(key) && validation.hasExecutionHooks;
    }

    function _mayHaveHooks(uint192) internal view virtual returns (bool) {
        return true;
    }

    function _flagsOf(AccountStorage.Validation storage validation, uint192) internal view virtual returns (uint8) {
        return validation.flags;
    }

    /// Returns whether a global validation may call the function.
    function _allowsGlobal(bytes4 selector) internal view returns (bool) {
        return _isGuarded(selector) || AccountStorage.modules().executions[selector].allowGlobalValidation;
    }

    /// Lists the account's own functions that need a validation.
    function _isGuarded(bytes4 selector) internal view virtual returns (bool);

    /// Calls the account itself in the name of a validation, with the hooks of the validation around it.
    function _callSelf(
        AccountStorage.Validation storage validation,
        uint192 key,
        bytes calldata callData,
        bytes calldata hookData
    ) internal returns (bytes memory result) {
        PostHook[] memory hooks;
        if (_hasExecutionHooks(validation, key)) hooks = _runPreHooks(validation.executionHooks, hookData);
        result = _call(address(this), 0, callData);
        _runPostHooks(hooks);
    }

    /// Calls, and passes on a revert.
    function _call(address target, uint256 value, bytes calldata data) internal returns (bytes memory result) {
        bool success;
        (success, result) = target.call{value: value}(data);
        if (success) return result;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }

    function _validationOf(uint192 key) internal view returns (AccountStorage.Validation storage) {
        return AccountStorage.modules().validations[key];
    }

    function _scopeOf(uint8 options) internal pure returns (Scope) {
        return options & Encoding.USES_GLOBAL != 0 ? Scope.Global : Scope.Selected;
    }

    /// Returns the EIP-712 digest of a struct in the account's own domain.
    function _toDigest(bytes32 structHash) internal view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN_TYPE_HASH, block.chainid, address(this)));
        return keccak256(abi.encodePacked("\x19\x01", domain, structHash));
    }

    /// Does what the signature begins with, if a validation has signed it for this nonce: the length (4) of locator (21),
    /// deadline (6) and call; these; the length (4) of the validation's signature; it. Returns the deadline as
    /// validation data and the rest. The nonce makes it happen once.
    function _doDeferredAction(uint256 nonce, bytes calldata signature)
        private
        returns (uint256 validationData, bytes calldata)
    {
        (bytes calldata action, bytes calldata rest) = _split(signature);
        bytes calldata approval;
        (approval, rest) = _split(rest);
        (uint192 key, uint8 options) = Encoding.fromLocator(bytes21(action[:21]));
        uint48 deadline = uint48(bytes6(action[21:27]));
        bytes calldata call = action[27:];

        AccountStorage.Validation storage validation = _validationOf(key);
        _requireApplies(validation, key, _scopeOf(options), call);
        _requireSigning(validation, key);
        if (_hasValidationHooks(validation, key)) revert DeferredValidationHasValidationHooks();
        // The account as sender: the digest is bound to it already.
        bytes4 answer =
            _askAboutSignature(validation, key, _toDeferredDigest(nonce, deadline, call), approval, address(this));
        if (answer != IERC1271.isValidSignature.selector) revert DeferredActionSignatureInvalid();
        _callSelf(validation, key, call, call);
        return (uint256(deadline) << 160, rest);
    }

    function _toDeferredDigest(uint256 nonce, uint48 deadline, bytes calldata call) private view returns (bytes32) {
        return _toDigest(keccak256(abi.encode(DEFERRED_ACTION_TYPE_HASH, nonce, deadline, keccak256(call))));
    }

    function _split(bytes calldata source) private pure returns (bytes calldata part, bytes calldata rest) {
        uint256 end = 4 + uint256(uint32(bytes4(source[:4])));
        return (source[4:end], source[end:]);
    }

    function _requireInner(
        AccountStorage.Validation storage validation,
        uint192 key,
        Scope scope,
        bytes memory data
    ) private view {
        bytes4 selector = bytes4(data);
        if (data.length < 4) revert UnrecognizedFunction(selector);
        if (selector == IModularAccount.execute.selector || selector == IModularAccount.executeBatch.selector) {
            revert SelfCallRecursionDepthExceeded();
        }
        _requireSelector(validation, key, scope, selector);
    }

    function _requireSelector(
        AccountStorage.Validation storage validation,
        uint192 key,
        Scope scope,
        bytes4 selector
    ) private view {
        if (scope != Scope.Selected) {
            bool isGlobal = _flagsOf(validation, key) & Encoding.GLOBAL_VALIDATION != 0;
            if (isGlobal && _allowsGlobal(selector)) return;
        }
        if (scope != Scope.Global && validation.isSelected[selector]) return;
        revert ValidationFunctionMissing(selector);
    }

    function _requireSigning(AccountStorage.Validation storage validation, uint192 key) private view {
        if (_flagsOf(validation, key) & Encoding.SIGNATURE_VALIDATION == 0) {
            revert SignatureValidationInvalid(_entityOf(validation, key));
        }
    }

    function _entityOf(AccountStorage.Validation storage validation, uint192 key) private view returns (bytes24) {
        return bytes24(uint192(uint160(validation.module)) << 32 | uint32(key));
    }
}
