// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {ValidationData} from "../modularAccount/ValidationData.sol";
import {IValidationHookModule} from "../modularAccountV2/erc6900/IModule.sol";
import {ModuleBase} from "./ModuleBase.sol";

/// Limits a validation to a time, in seconds of the chain's clock, both ends included.
contract TimeRangeModule is IValidationHookModule, ModuleBase {
    struct TimeRange {
        /// Zero for no end.
        uint48 validUntil;
        uint48 validAfter;
    }

    error TimeRangeNotValid();

    event TimeRangeSet(uint32 indexed entityId, address indexed account, uint48 validUntil, uint48 validAfter);

    mapping(uint32 entityId => mapping(address account => TimeRange)) public timeRanges;

    function onInstall(bytes calldata data) external override {
        (uint32 entityId, uint48 validUntil, uint48 validAfter) = abi.decode(data, (uint32, uint48, uint48));
        setTimeRange(entityId, validUntil, validAfter);
    }

    function onUninstall(bytes calldata data) external override {
        delete timeRanges[abi.decode(data, (uint32))][msg.sender];
    }

    function preUserOpValidationHook(uint32 entityId, PackedUserOperation calldata userOp, bytes32)
        external
        view
        override
        assertNoData(userOp.signature)
        returns (uint256)
    {
        // The entry point compares: reading the clock is forbidden in validation (ERC-7562).
        TimeRange memory range = timeRanges[entityId][msg.sender];
        return ValidationData.pack(false, range.validAfter, range.validUntil);
    }

    function preRuntimeValidationHook(uint32 entityId, address, uint256, bytes calldata, bytes calldata)
        external
        view
        override
    {
        TimeRange memory range = timeRanges[entityId][msg.sender];
        bool isOver = range.validUntil != 0 && block.timestamp > range.validUntil;
        if (isOver || block.timestamp < range.validAfter) revert TimeRangeNotValid();
    }

    /// Refuses signatures: they can be verified at any time.
    function preSignatureValidationHook(uint32, address, bytes32, bytes calldata) external pure override {
        revert NotImplemented();
    }

    function moduleId() external pure override returns (string memory) {
        return "alchemy.time-range-module.1.0.0";
    }

    function setTimeRange(uint32 entityId, uint48 validUntil, uint48 validAfter) public {
        if (validUntil != 0 && validUntil <= validAfter) revert TimeRangeNotValid();
        timeRanges[entityId][msg.sender] = TimeRange(validUntil, validAfter);
        emit TimeRangeSet(entityId, msg.sender, validUntil, validAfter);
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IValidationHookModule).interfaceId || super.supportsInterface(interfaceId);
    }
}
