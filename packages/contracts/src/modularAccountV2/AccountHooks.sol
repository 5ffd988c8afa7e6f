// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {ValidationData} from "../modularAccount/ValidationData.sol";
import {AccountStorage} from "./AccountStorage.sol";
import {Encoding} from "./Encoding.sol";
import {Segments} from "./Segments.sol";
import {IExecutionHookModule, IValidationHookModule} from "./erc6900/IModule.sol";

/// Runs hooks in the order of their installation; those after an execution in the opposite order.
abstract contract AccountHooks {
    using Encoding for bytes25;
    using Segments for bytes;

    error UnexpectedAggregator(bytes24 validationFunction, address aggregator);

    /// Holds a hook that runs afterwards. It is kept in memory, since the execution may change the account.
    struct PostHook {
        address module;
        uint32 entityId;
        /// Result of the pre-hook.
        bytes context;
    }

    function _runPreHooks(bytes25[] storage stored, bytes calldata data) internal returns (PostHook[] memory hooks) {
        bytes25[] memory configs = stored;
        hooks = new PostHook[](configs.length);
        for (uint256 i; i < configs.length; ++i) {
            (address module, uint32 entityId) = (configs[i].moduleOf(), configs[i].entityIdOf());
            uint8 flags = configs[i].flagsOf();
            if (flags & Encoding.PRE_HOOK != 0) {
                hooks[i].context =
                    IExecutionHookModule(module).preExecutionHook(entityId, msg.sender, msg.value, data);
            }
            if (flags & Encoding.POST_HOOK != 0) (hooks[i].module, hooks[i].entityId) = (module, entityId);
        }
    }

    function _runPostHooks(PostHook[] memory hooks) internal {
        for (uint256 i = hooks.length; i > 0; --i) {
            PostHook memory hook = hooks[i - 1];
            if (hook.module == address(0)) continue;
            IExecutionHookModule(hook.module).postExecutionHook(hook.entityId, hook.context);
        }
    }

    /// Runs the hooks of an operation, each with its own data as the signature. Returns what all of them allow, and the
    /// signature that is left for the validation.
    function _runUserOpHooks(
        AccountStorage.Validation storage validation,
        PackedUserOperation memory userOp,
        bytes32 userOpHash,
        bytes calldata signature
    ) internal returns (uint256 allowed, bytes calldata) {
        bytes25[] memory configs = validation.validationHooks;
        for (uint256 i; i < configs.length; ++i) {
            bytes calldata segment;
            (segment, signature) = signature.next(i);
            userOp.signature = segment;
            uint256 answer = IValidationHookModule(configs[i].moduleOf()).preUserOpValidationHook(
                configs[i].entityIdOf(), userOp, userOpHash
            );
            address authorizer = ValidationData.authorizerOf(answer);
            // A hook may fail an operation, but not ask an aggregator.
            if (uint160(authorizer) > ValidationData.SIGNATURE_FAILED) {
                revert UnexpectedAggregator(bytes24(configs[i]), authorizer);
            }
            allowed = ValidationData.intersect(answer, allowed);
        }
        return (allowed, signature);
    }

    /// Runs the hooks of a call. A direct call (`isDirect`) has no data for them.
    function _runRuntimeHooks(
        AccountStorage.Validation storage validation,
        bytes calldata data,
        bytes calldata authorization,
        bool isDirect
    ) internal returns (bytes calldata) {
        bytes25[] memory configs = validation.validationHooks;
        for (uint256 i; i < configs.length; ++i) {
            bytes calldata segment = authorization;
            if (!isDirect) (segment, authorization) = authorization.next(i);
            IValidationHookModule(configs[i].moduleOf()).preRuntimeValidationHook(
                configs[i].entityIdOf(), msg.sender, msg.value, data, segment
            );
        }
        return authorization;
    }

    function _runSignatureHooks(
        AccountStorage.Validation storage validation,
        bytes32 hash,
        bytes calldata signature
    ) internal view returns (bytes calldata) {
        bytes25[] memory configs = validation.validationHooks;
        for (uint256 i; i < configs.length; ++i) {
            bytes calldata segment;
            (segment, signature) = signature.next(i);
            IValidationHookModule(configs[i].moduleOf()).preSignatureValidationHook(
                configs[i].entityIdOf(), msg.sender, hash, segment
            );
        }
        return signature;
    }
}
