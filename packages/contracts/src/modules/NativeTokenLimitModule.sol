// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {NativeSelectors} from "../modularAccountV2/NativeSelectors.sol";
import {Call} from "../modularAccountV2/erc6900/IModularAccount.sol";
import {IExecutionHookModule, IValidationHookModule} from "../modularAccountV2/erc6900/IModule.sol";
import {CalledByAccount} from "./CalledByAccount.sol";
import {ModuleBase} from "./ModuleBase.sol";

/// Limits the native token that a validation spends: the value of its calls (execution hook) and the highest cost of its
/// operations' gas (validation hook). Gas that a paymaster pays is not counted, unless the account names the paymaster
/// as one that it pays back.
contract NativeTokenLimitModule is IExecutionHookModule, IValidationHookModule, ModuleBase {
    using CalledByAccount for bytes;

    error ExceededNativeTokenLimit();
    error InvalidPaymaster();

    event NativeTokenSpendLimitUpdated(uint32 indexed entityId, address indexed account, uint256 newLimit);
    event SpecialPaymasterUpdated(address indexed account, address indexed paymaster, bool allowed);

    /// Length of paymasterAndData without the paymaster's own: address, verification gas, gas after the operation.
    uint256 private constant PAYMASTER_HEAD = 52;

    /// What may still be spent.
    mapping(uint256 entityId => mapping(address account => uint256 limit)) public limits;
    mapping(address paymaster => mapping(address account => bool allowed)) public specialPaymasters;

    function onInstall(bytes calldata data) external override {
        (uint32 entityId, uint256 limit) = abi.decode(data, (uint32, uint256));
        _setLimit(entityId, limit);
    }

    function onUninstall(bytes calldata data) external override {
        _setLimit(abi.decode(data, (uint32)), 0);
    }

    function updateLimits(uint32 entityId, uint256 newLimit) external {
        _setLimit(entityId, newLimit);
    }

    function updateSpecialPaymaster(address paymaster, bool allowed) external {
        if (paymaster == address(0)) revert InvalidPaymaster();
        specialPaymasters[paymaster][msg.sender] = allowed;
        emit SpecialPaymasterUpdated(msg.sender, paymaster, allowed);
    }

    function preUserOpValidationHook(uint32 entityId, PackedUserOperation calldata userOp, bytes32)
        external
        override
        assertNoData(userOp.signature)
        returns (uint256)
    {
        uint256 gasUnits = userOp.preVerificationGas + _sumOfHalves(userOp.accountGasLimits);
        bytes calldata paymaster = userOp.paymasterAndData;
        if (paymaster.length != 0) {
            if (paymaster.length < PAYMASTER_HEAD) revert InvalidPaymaster();
            if (!specialPaymasters[address(bytes20(paymaster))][msg.sender]) return 0;
            gasUnits += _sumOfHalves(bytes32(paymaster[20:PAYMASTER_HEAD]));
        }
        _spend(entityId, gasUnits * uint128(uint256(userOp.gasFees)));
        return 0;
    }

    function preRuntimeValidationHook(uint32, address, uint256, bytes calldata, bytes calldata)
        external
        pure
        override
    {}

    /// Refuses signatures: what they spend cannot be read from them.
    function preSignatureValidationHook(uint32, address, bytes32, bytes calldata) external pure override {
        revert NotImplemented();
    }

    /// Counts the value of the account's calls and of the contracts that it creates.
    function preExecutionHook(uint32 entityId, address, uint256, bytes calldata data)
        external
        override
        returns (bytes memory)
    {
        bytes memory callData = data.fromHookData();
        uint256 value = _valueOfCreation(callData);
        Call[] memory calls = callData.toCalls();
        for (uint256 i; i < calls.length; ++i) {
            value += calls[i].value;
            if (calls[i].target == msg.sender) value += _valueOfCreation(calls[i].data);
        }
        if (value != 0) _spend(entityId, value);
        return "";
    }

    function postExecutionHook(uint32, bytes calldata) external pure override {
        revert NotImplemented();
    }

    function moduleId() external pure override returns (string memory) {
        return "alchemy.native-token-limit-module.1.0.0";
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IValidationHookModule).interfaceId
            || interfaceId == type(IExecutionHookModule).interfaceId || super.supportsInterface(interfaceId);
    }

    function _spend(uint32 entityId, uint256 amount) private {
        uint256 limit = limits[entityId][msg.sender];
        if (amount > limit) revert ExceededNativeTokenLimit();
        limits[entityId][msg.sender] = limit - amount;
    }

    function _setLimit(uint32 entityId, uint256 limit) private {
        limits[entityId][msg.sender] = limit;
        emit NativeTokenSpendLimitUpdated(entityId, msg.sender, limit);
    }

    function _valueOfCreation(bytes memory callData) private pure returns (uint256 value) {
        if (bytes4(callData) != NativeSelectors.PERFORM_CREATE) return 0;
        (value,,,) = abi.decode(callData.withoutSelector(), (uint256, bytes, bool, bytes32));
    }

    function _sumOfHalves(bytes32 word) private pure returns (uint256) {
        return (uint256(word) >> 128) + uint128(uint256(word));
    }
}
