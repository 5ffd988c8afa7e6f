// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {Call} from "../modularAccountV2/erc6900/IModularAccount.sol";
import {IExecutionHookModule, IValidationHookModule} from "../modularAccountV2/erc6900/IModule.sol";
import {CalledByAccount} from "./CalledByAccount.sol";
import {ModuleBase} from "./ModuleBase.sol";

/// Lets a validation call listed contracts and functions alone (validation hook), and spend listed tokens up to a limit
/// (execution hook). The account's own functions other than execute and executeBatch are not its subject: the
/// validation's selectors are their list.
contract AllowlistModule is IExecutionHookModule, IValidationHookModule, ModuleBase {
    using CalledByAccount for bytes;

    struct AllowlistInput {
        /// Zero stands for every contract: its selectors are allowed anywhere.
        address target;
        bool hasSelectorAllowlist;
        bool hasERC20SpendLimit;
        uint256 erc20SpendLimit;
        bytes4[] selectors;
    }

    struct AddressAllowlistEntry {
        bool allowed;
        bool hasSelectorAllowlist;
        bool hasERC20SpendLimit;
    }

    error AddressNotAllowed();
    error ERC20NotAllowed(address);
    error ExceededTokenLimit();
    error InvalidCalldataLength();
    error NoSelectorSpecified();
    error SelectorNotAllowed();
    error SpendingRequestNotAllowed(bytes4);

    event AddressAllowlistUpdated(
        uint32 indexed entityId, address indexed account, address indexed target, AddressAllowlistEntry entry
    );
    event ERC20SpendLimitUpdated(
        uint32 indexed entityId, address indexed account, address indexed token, uint256 newLimit
    );
    event SelectorAllowlistUpdated(
        uint32 indexed entityId, address indexed account, bytes24 indexed targetAndSelector, bool allowed
    );

    bytes4 private constant TRANSFER = bytes4(keccak256("transfer(address,uint256)"));
    bytes4 private constant APPROVE = bytes4(keccak256("approve(address,uint256)"));

    mapping(uint32 entityId => mapping(address target => mapping(address account => AddressAllowlistEntry))) public
        addressAllowlist;
    mapping(
        uint32 entityId => mapping(bytes4 selector => mapping(address target => mapping(address account => bool)))
    ) public selectorAllowlist;
    /// What may still be spent.
    mapping(uint32 entityId => mapping(address target => mapping(address account => uint256))) public erc20SpendLimits;

    function onInstall(bytes calldata data) external override {
        (uint32 entityId, AllowlistInput[] memory inputs) = abi.decode(data, (uint32, AllowlistInput[]));
        _update(entityId, inputs, true);
    }

    function onUninstall(bytes calldata data) external override {
        (uint32 entityId, AllowlistInput[] memory inputs) = abi.decode(data, (uint32, AllowlistInput[]));
        _update(entityId, inputs, false);
    }

    function updateAllowlist(uint32 entityId, AllowlistInput[] calldata inputs) external {
        _update(entityId, inputs, true);
    }

    function deleteAllowlist(uint32 entityId, AllowlistInput[] calldata inputs) external {
        _update(entityId, inputs, false);
    }

    function setAddressAllowlist(
        uint32 entityId,
        address target,
        bool allowed,
        bool hasSelectorAllowlist,
        bool hasERC20SpendLimit
    ) external {
        _setAddress(entityId, target, AddressAllowlistEntry(allowed, hasSelectorAllowlist, hasERC20SpendLimit));
    }

    function setSelectorAllowlist(uint32 entityId, address target, bytes4 selector, bool allowed) external {
        _setSelector(entityId, target, selector, allowed);
    }

    function updateLimits(uint32 entityId, address token, bool hasERC20SpendLimit, uint256 newLimit) external {
        if (token == address(0)) revert ERC20NotAllowed(token);
        AddressAllowlistEntry memory entry = addressAllowlist[entityId][token][msg.sender];
        entry.hasERC20SpendLimit = hasERC20SpendLimit;
        _setAddress(entityId, token, entry);
        _setLimit(entityId, token, newLimit);
    }

    function preUserOpValidationHook(uint32 entityId, PackedUserOperation calldata userOp, bytes32)
        external
        view
        override
        assertNoData(userOp.signature)
        returns (uint256)
    {
        checkAllowlistCalldata(entityId, userOp.callData);
        return 0;
    }

    function preRuntimeValidationHook(uint32 entityId, address, uint256, bytes calldata data, bytes calldata)
        external
        view
        override
    {
        checkAllowlistCalldata(entityId, data);
    }

    /// Refuses signatures: what they allow cannot be read from them.
    function preSignatureValidationHook(uint32, address, bytes32, bytes calldata) external pure override {
        revert NotImplemented();
    }

    /// Counts transfers and approvals of limited tokens.
    function preExecutionHook(uint32 entityId, address, uint256, bytes calldata data)
        external
        override
        returns (bytes memory)
    {
        Call[] memory calls = data.fromHookData().toCalls();
        for (uint256 i; i < calls.length; ++i) {
            if (addressAllowlist[entityId][calls[i].target][msg.sender].hasERC20SpendLimit) {
                _spend(entityId, calls[i].target, calls[i].data);
            }
        }
        return "";
    }

    function postExecutionHook(uint32, bytes calldata) external pure override {
        revert NotImplemented();
    }

    function moduleId() external pure override returns (string memory) {
        return "alchemy.allowlist-module.1.0.0";
    }

    /// Reverts unless the calling account's lists allow all calls of `callData`.
    function checkAllowlistCalldata(uint32 entityId, bytes calldata callData) public view {
        Call[] memory calls = callData.toCallData().toCalls();
        for (uint256 i; i < calls.length; ++i) {
            _check(entityId, calls[i].target, calls[i].data);
        }
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IValidationHookModule).interfaceId
            || interfaceId == type(IExecutionHookModule).interfaceId || super.supportsInterface(interfaceId);
    }

    function _check(uint32 entityId, address target, bytes memory data) private view {
        bool hasSelector = data.length >= 4;
        bytes4 selector = bytes4(data);
        if (hasSelector && selectorAllowlist[entityId][selector][address(0)][msg.sender]) return;
        AddressAllowlistEntry memory entry = addressAllowlist[entityId][target][msg.sender];
        if (!entry.allowed) revert AddressNotAllowed();
        if (!entry.hasSelectorAllowlist) return;
        if (!hasSelector) revert NoSelectorSpecified();
        if (!selectorAllowlist[entityId][selector][target][msg.sender]) revert SelectorNotAllowed();
    }

    function _spend(uint32 entityId, address token, bytes memory data) private {
        bytes4 selector = bytes4(data);
        if (data.length < 4 || (selector != TRANSFER && selector != APPROVE)) revert SpendingRequestNotAllowed(selector);
        if (data.length < 68) revert InvalidCalldataLength();
        (, uint256 amount) = abi.decode(data.withoutSelector(), (address, uint256));
        uint256 limit = erc20SpendLimits[entityId][token][msg.sender];
        if (amount > limit) revert ExceededTokenLimit();
        erc20SpendLimits[entityId][token][msg.sender] = limit - amount;
    }

    function _update(uint32 entityId, AllowlistInput[] memory inputs, bool allowed) private {
        for (uint256 i; i < inputs.length; ++i) {
            AllowlistInput memory input = inputs[i];
            bool isAnywhere = input.target == address(0);
            if (input.hasERC20SpendLimit) {
                if (isAnywhere) revert ERC20NotAllowed(input.target);
                _setLimit(entityId, input.target, allowed ? input.erc20SpendLimit : 0);
            }
            if (!isAnywhere) {
                AddressAllowlistEntry memory entry;
                if (allowed) entry = AddressAllowlistEntry(true, input.hasSelectorAllowlist, input.hasERC20SpendLimit);
                _setAddress(entityId, input.target, entry);
            }
            if (!isAnywhere && !input.hasSelectorAllowlist) continue;
            for (uint256 j; j < input.selectors.length; ++j) {
                _setSelector(entityId, input.target, input.selectors[j], allowed);
            }
        }
    }

    function _setAddress(uint32 entityId, address target, AddressAllowlistEntry memory entry) private {
        addressAllowlist[entityId][target][msg.sender] = entry;
        emit AddressAllowlistUpdated(entityId, msg.sender, target, entry);
    }

    function _setSelector(uint32 entityId, address target, bytes4 selector, bool allowed) private {
        selectorAllowlist[entityId][selector][target][msg.sender] = allowed;
        emit SelectorAllowlistUpdated(
            entityId, msg.sender, bytes24(bytes20(target)) | bytes24(selector) >> 160, allowed
        );
    }

    function _setLimit(uint32 entityId, address token, uint256 limit) private {
        erc20SpendLimits[entityId][token][msg.sender] = limit;
        emit ERC20SpendLimitUpdated(entityId, msg.sender, token, limit);
    }
}
