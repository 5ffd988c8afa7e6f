// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {IValidationHookModule} from "../modularAccountV2/erc6900/IModule.sol";
import {ModuleBase} from "./ModuleBase.sol";

/// Makes a validation use one paymaster: the account never pays for its operations.
contract PaymasterGuardModule is IValidationHookModule, ModuleBase {
    error BadPaymasterSpecified();
    error InvalidPaymaster();

    mapping(uint32 entityId => mapping(address account => address paymaster)) public paymasters;

    function onInstall(bytes calldata data) external override {
        (uint32 entityId, address paymaster) = abi.decode(data, (uint32, address));
        if (paymaster == address(0)) revert InvalidPaymaster();
        paymasters[entityId][msg.sender] = paymaster;
    }

    function onUninstall(bytes calldata data) external override {
        delete paymasters[abi.decode(data, (uint32))][msg.sender];
    }

    function preUserOpValidationHook(uint32 entityId, PackedUserOperation calldata userOp, bytes32)
        external
        view
        override
        assertNoData(userOp.signature)
        returns (uint256)
    {
        bytes calldata given = userOp.paymasterAndData;
        bool isGuarded = given.length >= 20 && address(bytes20(given)) == paymasters[entityId][msg.sender];
        if (!isGuarded) revert BadPaymasterSpecified();
        return 0;
    }

    /// Allows calls: no paymaster pays for them.
    function preRuntimeValidationHook(uint32, address, uint256, bytes calldata, bytes calldata)
        external
        view
        override
    {}

    function preSignatureValidationHook(uint32, address, bytes32, bytes calldata) external pure override {
        revert NotImplemented();
    }

    function moduleId() external pure override returns (string memory) {
        return "alchemy.paymaster-guard-module.1.0.0";
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IValidationHookModule).interfaceId || super.supportsInterface(interfaceId);
    }
}
