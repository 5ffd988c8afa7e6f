// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {FunctionReference} from "./FunctionReference.sol";

/// Declares reads of what is installed (ERC-6900 v0.7).
interface IAccountLoupe {
    struct ExecutionFunctionConfig {
        /// The account itself, for its own functions.
        address plugin;
        FunctionReference userOpValidationFunction;
        FunctionReference runtimeValidationFunction;
    }

    struct ExecutionHooks {
        FunctionReference preExecHook;
        FunctionReference postExecHook;
    }

    function getExecutionFunctionConfig(bytes4 selector) external view returns (ExecutionFunctionConfig memory config);

    function getExecutionHooks(bytes4 selector) external view returns (ExecutionHooks[] memory execHooks);

    function getPreValidationHooks(bytes4 selector)
        external
        view
        returns (
            FunctionReference[] memory preUserOpValidationHooks,
            FunctionReference[] memory preRuntimeValidationHooks
        );

    function getInstalledPlugins() external view returns (address[] memory pluginAddresses);
}
