// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../interfaces/UserOperation06.sol";
import {AccountHooks} from "./AccountHooks.sol";
import {HookList} from "./HookList.sol";
import {ValidationData} from "./ValidationData.sol";
import {IPlugin} from "./erc6900/IPlugin.sol";

/// How the account answers the entry point (ERC-4337, entry point 0.6): a plugin judges, and hooks may narrow it down.
abstract contract AccountValidation is AccountHooks {
    using HookList for uint64;

    error UnexpectedAggregator(address plugin, uint8 functionId, address aggregator);
    error UnrecognizedFunction(bytes4 selector);
    error UserOpNotFromEntryPoint();
    error UserOpValidationFunctionMissing(bytes4 selector);

    function validateUserOp(UserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        if (msg.sender != address(_entryPoint)) revert UserOpNotFromEntryPoint();
        // What is shorter has no selector, and would reach the account as another function than was validated.
        if (userOp.callData.length < 4) revert UnrecognizedFunction(bytes4(userOp.callData));
        validationData = _validateUserOp(bytes4(userOp.callData), userOp, userOpHash);

        if (missingAccountFunds != 0) {
            // The entry point checks its own balance afterwards: a failure here is its to report.
            (bool success,) = payable(msg.sender).call{value: missingAccountFunds}("");
            (success);
        }
    }

    function _validateUserOp(bytes4 selector, UserOperation calldata userOp, bytes32 userOpHash)
        private
        returns (uint256 validationData)
    {
        State storage state = _state();
        SelectorConfig storage config = state.selectors[selector];
        uint24 validation = config.userOpValidation;
        if (validation == NONE) revert UserOpValidationFunctionMissing(selector);

        bool hasHooks = config.hasUserOpHooks;
        uint256 narrowed = hasHooks ? _runUserOpHooks(state.userOpHooks[selector], userOp, userOpHash) : 0;
        (address plugin, uint8 functionId) = _open(validation);
        validationData = IPlugin(plugin).userOpValidationFunction(functionId, userOp, userOpHash);
        if (hasHooks) validationData = ValidationData.intersect(narrowed, validationData);
    }

    /// What all hooks allow together.
    function _runUserOpHooks(uint64[] memory entries, UserOperation calldata userOp, bytes32 userOpHash)
        private
        returns (uint256 narrowed)
    {
        for (uint256 i; i < entries.length; ++i) {
            (uint24 hook,) = entries[i].unpack();
            if (hook == ALWAYS_DENY) revert AlwaysDenyRule();
            (address plugin, uint8 functionId) = _open(hook);
            uint256 answer = IPlugin(plugin).preUserOpValidationHook(functionId, userOp, userOpHash);
            address aggregator = ValidationData.authorizerOf(answer);
            // Only the validation itself may name one.
            if (uint160(aggregator) > 1) revert UnexpectedAggregator(plugin, functionId, aggregator);
            narrowed = ValidationData.intersect(narrowed, answer);
        }
    }
}
