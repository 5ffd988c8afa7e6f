// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {UserOperation} from "../../interfaces/UserOperation06.sol";
import {Call} from "../../modularAccount/erc6900/IStandardExecutor.sol";
import {SessionKeyStorage} from "./SessionKeyStorage.sol";
import {SpendLimit, SpendLimits} from "./SpendLimits.sol";

/// Checks the permissions of a key. Validation checks lists, times, gas, paymaster and native spending. Spending counts
/// during execution, and is checked again then: all operations of a bundle are validated before the first is executed.
///
/// Every rule that an operation breaks reverts `PermissionsCheckFailed`, as the published plugin does.
abstract contract SessionKeyPermissions is SessionKeyStorage {
    using SpendLimits for SpendLimit;

    error ERC20SpendLimitExceeded(address account, address sessionKey, address token);
    error NativeTokenSpendLimitExceeded(address account, address sessionKey);
    error PermissionsCheckFailed();

    bytes4 private constant TRANSFER = 0xa9059cbb; // transfer(address,uint256)
    bytes4 private constant APPROVE = 0x095ea7b3; // approve(address,uint256)

    /// Reverts unless the key may send the operation, within the returned time range (seconds, 0: no end).
    function _checkOperation(UserOperation calldata userOp, Call[] memory calls, address sessionKey)
        internal
        returns (uint48 validAfter, uint48 validUntil)
    {
        uint48 number = _numberOf(msg.sender, sessionKey);
        _permit(number != 0 && calls.length != 0);
        KeyData storage key = _key(msg.sender, number);
        (validAfter, validUntil) = (key.validAfter, key.validUntil);
        if (key.hasRequiredPaymaster) _checkPaymaster(userOp.paymasterAndData, key.requiredPaymaster);
        if (key.hasGasLimit) {
            _permit(uint192(userOp.nonce >> 64) == uint160(sessionKey));
            validAfter = _later(validAfter, _spendGas(key, _maxCost(userOp)));
        }

        AccessType accessType = key.accessType;
        uint256 total;
        for (uint256 i; i < calls.length; ++i) {
            _checkCall(number, accessType, calls[i]);
            total += calls[i].value;
        }
        if (!key.isNativeUnlimited) validAfter = _later(validAfter, _nativeStart(key.native, total));
    }

    /// Counts what the calls spend. Reverts when it exceeds a limit.
    function _spend(Call[] calldata calls, address sessionKey) internal {
        uint48 number = _keyNumber(msg.sender, sessionKey);
        KeyData storage key = _key(msg.sender, number);
        _startGasInterval(key);

        uint256 total;
        for (uint256 i; i < calls.length; ++i) {
            total += calls[i].value;
            TargetData storage target = _target(msg.sender, number, calls[i].target);
            if (target.hasTokenLimit && !target.token.spend(_tokenAmount(calls[i].data))) {
                revert ERC20SpendLimitExceeded(msg.sender, sessionKey, calls[i].target);
            }
        }
        if (!key.isNativeUnlimited && !key.native.spend(total)) {
            revert NativeTokenSpendLimitExceeded(msg.sender, sessionKey);
        }
    }

    /// Stores the start of the interval, since validation may not read the time.
    function _startGasInterval(KeyData storage key) internal {
        if (!key.isGasIntervalNew) return;
        key.isGasIntervalNew = false;
        key.gas.lastUsed = uint48(block.timestamp);
    }

    function _checkCall(uint48 number, AccessType accessType, Call memory call) private view {
        TargetData storage target = _target(msg.sender, number, call.target);
        bytes4 selector = bytes4(call.data);
        uint256 length = call.data.length;
        if (target.hasTokenLimit) _requireCountable(selector, length);
        if (accessType == AccessType.ALLOW_ALL_ACCESS) return;

        bool isOnList = target.isOnList;
        bool isFunctionsTurn = isOnList && target.checkSelectors;
        if (isFunctionsTurn) isOnList = _isFunctionOnList(msg.sender, number, call.target, selector);
        // One to three bytes name no function, but padded with zeros they may look like one. Empty data stand for
        // 0x00000000, so that plain transfers can be listed.
        bool isCut = isFunctionsTurn && length != 0 && length < 4;
        _permit(isOnList == (accessType == AccessType.ALLOWLIST) && !isCut);
    }

    function _checkPaymaster(bytes calldata paymasterAndData, address required) private pure {
        _permit(paymasterAndData.length >= 20 && address(bytes20(paymasterAndData)) == required);
    }

    /// Returns the time from which the native limit has `total` left. Counts nothing, since the execution does.
    function _nativeStart(SpendLimit storage native, uint256 total) private view returns (uint256) {
        (uint256 limit, uint48 refreshInterval) = (native.limit, native.refreshInterval);
        if (SpendLimits.fits(limit, native.used, total)) return 0;
        _permit(refreshInterval != 0 && total <= limit);
        return uint256(native.lastUsed) + refreshInterval;
    }

    /// Returns the time from which the operation is valid: operations beyond the limit wait for the next interval. An
    /// interval ends when the limit is used up and its time has passed, so two of them are at least `refreshInterval`
    /// apart.
    function _spendGas(KeyData storage key, uint256 cost) private returns (uint256 intervalStart) {
        SpendLimit storage gas = key.gas;
        bool isNew = key.isGasIntervalNew;
        (uint256 limit, uint256 used, uint48 refreshInterval) = (gas.limit, gas.used, gas.refreshInterval);
        if (!isNew && refreshInterval != 0 && !SpendLimits.fits(limit, used, cost)) {
            (isNew, used) = (true, 0);
            key.isGasIntervalNew = true;
        }
        _permit(SpendLimits.fits(limit, used, cost));
        gas.used = used + cost;
        return isNew ? uint256(gas.lastUsed) + refreshInterval : 0;
    }

    /// Returns the prefund of entry point 0.6, in wei.
    function _maxCost(UserOperation calldata userOp) private pure returns (uint256) {
        uint256 verifications = userOp.paymasterAndData.length == 0 ? 1 : 3;
        uint256 gasLimit =
            userOp.callGasLimit + userOp.verificationGasLimit * verifications + userOp.preVerificationGas;
        return gasLimit * userOp.maxFeePerGas;
    }

    /// Returns the second word of a transfer or an approval. A limit set by an earlier operation of the bundle can meet
    /// calls that were validated without it.
    function _tokenAmount(bytes calldata data) private pure returns (uint256) {
        _requireCountable(bytes4(data), data.length);
        return uint256(bytes32(data[36:68]));
    }

    function _requireCountable(bytes4 selector, uint256 length) private pure {
        _permit(length >= 68 && (selector == TRANSFER || selector == APPROVE));
    }

    /// Returns the later time. Refuses times beyond uint48, from which no operation can be valid.
    function _later(uint48 validAfter, uint256 start) private pure returns (uint48) {
        _permit(start <= type(uint48).max);
        return start > validAfter ? uint48(start) : validAfter;
    }

    function _permit(bool isPermitted) internal pure {
        if (!isPermitted) revert PermissionsCheckFailed();
    }
}
