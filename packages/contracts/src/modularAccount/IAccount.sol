// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../interfaces/UserOperation06.sol";

/// Declares functions of the account that no ERC-6900 interface has.
interface IAccount {
    /// Initializes a new account. `pluginInitData` is abi.encode(bytes32[] manifestHashes, bytes[] installData), one of
    /// each for every plugin.
    function initialize(address[] calldata plugins, bytes calldata pluginInitData) external;

    /// Validates a user operation (ERC-4337, entry point 0.6).
    function validateUserOp(UserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData);

    function upgradeToAndCall(address newImplementation, bytes calldata data) external payable;

    function entryPoint() external view returns (address);

    /// Returns the nonce of key 0.
    function getNonce() external view returns (uint256);

    /// Accepts ERC-777 tokens, which ask the receiver first.
    function tokensReceived(
        address operator,
        address from,
        address to,
        uint256 amount,
        bytes calldata userData,
        bytes calldata operatorData
    ) external;
}
