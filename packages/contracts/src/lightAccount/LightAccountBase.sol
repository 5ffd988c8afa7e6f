// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {Proxiable} from "../common/Proxiable.sol";
import {TokenReceiver} from "../common/TokenReceiver.sol";
import {IERC1271} from "../interfaces/IERC1271.sol";
import {IEntryPoint} from "../interfaces/IEntryPoint.sol";

/// Implements the light account for any kind of owner and signature: calls, deposits, validation for the entry point
/// and signature checks (ERC-1271).
///
/// Permissions:
/// - callers allowed by the version (`_mayExecute`): execute, executeBatch;
/// - callers allowed by the version (`_mayAdminister`): withdrawDepositTo, upgrades, changes of owners;
/// - the entry point alone: functions that versions build on `_validate`;
/// - anyone: addDeposit, sending ether and tokens, and every view.
abstract contract LightAccountBase is IERC1271, TokenReceiver, Proxiable {
    error ArrayLengthMismatch();
    error InvalidOwner(address owner);
    error NotAuthorized(address caller);

    // A wrong signature is reported instead of reverted, so that gas can be estimated with any signature (ERC-4337).
    uint256 private constant SIG_VALIDATION_FAILED = 1;

    IEntryPoint private immutable _entryPoint;

    modifier onlyExecutor() {
        if (!_mayExecute(msg.sender)) revert NotAuthorized(msg.sender);
        _;
    }

    modifier onlyAdministrator() {
        _requireAdministrator();
        _;
    }

    constructor(address entryPoint_) {
        _entryPoint = IEntryPoint(entryPoint_);
    }

    receive() external payable {}

    function execute(address dest, uint256 value, bytes calldata func) external onlyExecutor {
        _call(dest, value, func);
    }

    function executeBatch(address[] calldata dest, bytes[] calldata func) external onlyExecutor {
        if (dest.length != func.length) revert ArrayLengthMismatch();
        for (uint256 i; i < dest.length; ++i) {
            _call(dest[i], 0, func[i]);
        }
    }

    function executeBatch(address[] calldata dest, uint256[] calldata value, bytes[] calldata func)
        external
        onlyExecutor
    {
        if (dest.length != value.length || dest.length != func.length) revert ArrayLengthMismatch();
        for (uint256 i; i < dest.length; ++i) {
            _call(dest[i], value[i], func[i]);
        }
    }

    function addDeposit() external payable {
        _entryPoint.depositTo{value: msg.value}(address(this));
    }

    function withdrawDepositTo(address payable withdrawAddress, uint256 amount) external onlyAdministrator {
        _requireReceiver(withdrawAddress);
        _entryPoint.withdrawTo(withdrawAddress, amount);
    }

    function getDeposit() external view returns (uint256) {
        return _entryPoint.balanceOf(address(this));
    }

    function getNonce() external view returns (uint256) {
        return _entryPoint.getNonce(address(this), 0);
    }

    function entryPoint() public view returns (address) {
        return address(_entryPoint);
    }

    /// Reverts for addresses that may not receive the deposit.
    function _requireReceiver(address receiver) internal pure virtual;

    /// Checks that an owner signed `userOpHash`, and pays what the account owes (ERC-4337). A key signs the personal
    /// hash; a contract judges the bare one.
    function _validate(bytes32 userOpHash, bytes calldata signature, uint256 missingAccountFunds)
        internal
        returns (uint256 validationData)
    {
        require(msg.sender == address(_entryPoint), "account: not from EntryPoint");
        validationData =
            _isOwners(Ecdsa.toPersonalHash(userOpHash), userOpHash, signature) ? 0 : SIG_VALIDATION_FAILED;
        if (missingAccountFunds != 0) {
            // The entry point checks its own balance afterwards and reports a failure.
            (bool success,) = payable(msg.sender).call{value: missingAccountFunds}("");
            (success);
        }
    }

    /// Returns the result of ERC-1271. `hash` is the hash that an owner signs for the given digest.
    function _judge(bytes32 hash, bytes calldata signature) internal view returns (bytes4) {
        return _isOwners(hash, hash, signature) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function _authorizeUpgrade(address) internal view override {
        _requireAdministrator();
    }

    function _mayExecute(address caller) internal view virtual returns (bool);

    function _mayAdminister(address caller) internal view virtual returns (bool);

    function _isOwner(address caller) internal view virtual returns (bool);

    /// Checks whether an owner made `signature`: a key over `keyHash`, a contract over `contractHash`.
    function _isOwners(bytes32 keyHash, bytes32 contractHash, bytes calldata signature)
        internal
        view
        virtual
        returns (bool);

    function _requireAdministrator() private view {
        if (!_mayAdminister(msg.sender)) revert NotAuthorized(msg.sender);
    }

    /// Calls, and passes on a revert. Does not copy the returned data, which no caller needs.
    function _call(address target, uint256 value, bytes calldata data) private {
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, data.offset, data.length)
            if iszero(call(gas(), target, value, free, data.length, 0, 0)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
        }
    }
}
