// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../interfaces/UserOperation06.sol";

/// The account's functions that no ERC-6900 interface names.
interface IAccount {
    /// Sets a new account up. `pluginInitData` is abi.encode(bytes32[] manifestHashes, bytes[] installData), one of
    /// each for every plugin.
    function initialize(address[] calldata plugins, bytes calldata pluginInitData) external;

    /// ERC-4337, entry point 0.6.
    function validateUserOp(UserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData);

    function upgradeToAndCall(address newImplementation, bytes calldata data) external payable;

    function entryPoint() external view returns (address);

    /// Of key 0.
    function getNonce() external view returns (uint256);

    /// ERC-777 asks before it comes.
    function tokensReceived(
        address operator,
        address from,
        address to,
        uint256 amount,
        bytes calldata userData,
        bytes calldata operatorData
    ) external;
}
