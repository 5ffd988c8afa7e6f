// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../interfaces/UserOperation06.sol";
import {AccountHooks} from "./AccountHooks.sol";
import {HookList} from "./HookList.sol";
import {ValidationData} from "./ValidationData.sol";
import {IPlugin} from "./erc6900/IPlugin.sol";

/// Validates for the entry point (ERC-4337, entry point 0.6): a plugin decides, and hooks may restrict.
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
        // Shorter data have no selector, and would reach the account as another function than the validated one.
        if (userOp.callData.length < 4) revert UnrecognizedFunction(bytes4(userOp.callData));
        validationData = _validateUserOp(bytes4(userOp.callData), userOpHash);

        if (missingAccountFunds != 0) {
            // The entry point checks its own balance afterwards and reports a failure.
            (bool success,) = payable(msg.sender).call{value: missingAccountFunds}("");
            (success);
        }
    }

    function _validateUserOp(bytes4 selector, bytes32 userOpHash) private returns (uint256 validationData) {
        State storage state = _state();
        SelectorConfig storage config = state.selectors[selector];
        uint24 validation = config.userOpValidation;
        if (validation == NONE) revert UserOpValidationFunctionMissing(selector);

        bool hasHooks = config.hasUserOpHooks;
        uint256 narrowed = hasHooks ? _runUserOpHooks(state.userOpHooks[selector], userOpHash) : 0;
        (address plugin, uint8 functionId) = _open(validation);
        validationData = _ask(plugin, IPlugin.userOpValidationFunction.selector, functionId, userOpHash);
        if (hasHooks) validationData = ValidationData.intersect(narrowed, validationData);
    }

    /// Returns what all hooks allow together.
    function _runUserOpHooks(uint64[] memory entries, bytes32 userOpHash) private returns (uint256 narrowed) {
        for (uint256 i; i < entries.length; ++i) {
            (uint24 hook,) = entries[i].unpack();
            if (hook == ALWAYS_DENY) revert AlwaysDenyRule();
            (address plugin, uint8 functionId) = _open(hook);
            uint256 answer = _ask(plugin, IPlugin.preUserOpValidationHook.selector, functionId, userOpHash);
            address aggregator = ValidationData.authorizerOf(answer);
            // Only the validation itself may name an aggregator.
            if (uint160(aggregator) > 1) revert UnexpectedAggregator(plugin, functionId, aggregator);
            narrowed = ValidationData.intersect(narrowed, answer);
        }
    }

    /// Calls a function of a plugin with (uint8 functionId, UserOperation userOp, bytes32 userOpHash), and passes on
    /// its revert. Copies the operation as the entry point encoded it, last and behind three words, which costs far
    /// less than encoding it again.
    function _ask(address plugin, bytes4 selector, uint8 functionId, bytes32 userOpHash)
        private
        returns (uint256 answer)
    {
        bytes calldata encodedOperation = msg.data[4 + 3 * 32:];
        bytes memory data =
            abi.encodePacked(abi.encodeWithSelector(selector, functionId, 3 * 32, userOpHash), encodedOperation);
        (bool success, bytes memory result) = plugin.call(data);
        if (success) return abi.decode(result, (uint256));
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }
}
