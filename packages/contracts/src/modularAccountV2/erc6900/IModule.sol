// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../../interfaces/UserOperation07.sol";

/// Declares a module of ERC-6900 v0.8. Its state belongs to the account that calls it.
interface IModule {
    function onInstall(bytes calldata data) external;

    function onUninstall(bytes calldata data) external;

    function moduleId() external view returns (string memory);
}

interface IValidationModule {
    function validateUserOp(uint32 entityId, PackedUserOperation calldata userOp, bytes32 userOpHash)
        external
        returns (uint256);

    function validateRuntime(
        address account,
        uint32 entityId,
        address sender,
        uint256 value,
        bytes calldata data,
        bytes calldata authorization
    ) external;

    function validateSignature(
        address account,
        uint32 entityId,
        address sender,
        bytes32 digest,
        bytes calldata signature
    ) external view returns (bytes4);
}

interface IValidationHookModule {
    function preUserOpValidationHook(uint32 entityId, PackedUserOperation calldata userOp, bytes32 userOpHash)
        external
        returns (uint256);

    function preRuntimeValidationHook(
        uint32 entityId,
        address sender,
        uint256 value,
        bytes calldata data,
        bytes calldata authorization
    ) external;

    function preSignatureValidationHook(uint32 entityId, address sender, bytes32 digest, bytes calldata signature)
        external
        view;
}

interface IExecutionHookModule {
    function preExecutionHook(uint32 entityId, address sender, uint256 value, bytes calldata data)
        external
        returns (bytes memory);

    function postExecutionHook(uint32 entityId, bytes calldata preExecHookData) external;
}
