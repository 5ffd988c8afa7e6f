// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenSender} from "../common/TokenSender.sol";
import {TwoStepOwner} from "../common/TwoStepOwner.sol";
import {IStakeManager07} from "../interfaces/IStakeManager07.sol";
import {IAccount} from "./IAccount.sol";
import {ModularProxyCode} from "./ModularProxyCode.sol";

/// Deploys modular accounts with the MultiOwnerPlugin and CREATE2, at the addresses they have on public chains. For
/// local and private chains. Unaudited.
///
/// Anyone may create any account. The owner of the factory manages its stake at the entry point and may withdraw what
/// was sent to the factory, and has no power over accounts.
contract MultiOwnerModularAccountFactory is TokenSender, TwoStepOwner {
    error InvalidOwner();
    error OwnersArrayEmpty();
    error OwnersLimitExceeded();
    error TransferFailed();

    address public immutable IMPL;
    address public immutable MULTI_OWNER_PLUGIN;
    IStakeManager07 public immutable ENTRYPOINT;

    bytes32 private immutable _manifestHash;

    uint256 private constant MAX_OWNERS = 100;

    constructor(
        address owner,
        address multiOwnerPlugin,
        address implementation,
        bytes32 multiOwnerPluginManifestHash,
        address entryPoint
    ) TwoStepOwner(owner) {
        MULTI_OWNER_PLUGIN = multiOwnerPlugin;
        IMPL = implementation;
        ENTRYPOINT = IStakeManager07(entryPoint);
        _manifestHash = multiOwnerPluginManifestHash;
    }

    receive() external payable {}

    /// Deploys the account of `owners` and `salt`, or returns the existing one: getSenderAddress of the entry point and
    /// clients that race themselves rely on that. As on public chains, only the plugin checks the owners here: it
    /// refuses an empty list, the zero address and doubles, and takes any order and number.
    function createAccount(uint256 salt, address[] calldata owners) external returns (address addr) {
        addr = _addressOf(salt, owners);
        if (addr.code.length != 0) return addr;

        bytes memory code = ModularProxyCode.initCode(IMPL);
        bytes32 combined = _combinedSalt(salt, owners);
        assembly ("memory-safe") {
            addr := create2(0, add(code, 0x20), mload(code), combined)
            if iszero(addr) { revert(0, 0) }
        }
        _initialize(addr, owners);
    }

    /// Adds `amount` wei to the factory's stake, and locks it for `unstakeDelay` seconds from `unlockStake` on.
    function addStake(uint32 unstakeDelay, uint256 amount) external payable onlyOwner {
        ENTRYPOINT.addStake{value: amount}(unstakeDelay);
    }

    function unlockStake() external onlyOwner {
        ENTRYPOINT.unlockStake();
    }

    function withdrawStake(address payable to) external onlyOwner {
        ENTRYPOINT.withdrawStake(to);
    }

    /// Withdraws assets sent to the factory: ether (`token` zero) or an ERC-20.
    function withdraw(address payable to, address token, uint256 amount) external onlyOwner {
        if (token != address(0)) return _sendToken(token, to, amount);
        (bool success,) = to.call{value: amount}("");
        if (!success) revert TransferFailed();
    }

    /// Returns the address of the account of `owners` and `salt`, deployed or not. Owners are at most 100 and in strictly
    /// ascending order, so that a set of owners has one address.
    function getAddress(uint256 salt, address[] calldata owners) external view returns (address) {
        if (owners.length == 0) revert OwnersArrayEmpty();
        _requireOwners(owners);
        return _addressOf(salt, owners);
    }

    /// Computes a CREATE2 address (EIP-1014).
    function _addressOf(uint256 salt, address[] calldata owners) private view returns (address) {
        bytes32 codeHash = keccak256(ModularProxyCode.initCode(IMPL));
        bytes32 hash =
            keccak256(abi.encodePacked(bytes1(0xff), address(this), _combinedSalt(salt, owners), codeHash));
        return address(uint160(uint256(hash)));
    }

    function _refuse(address, string memory reason) internal pure override {
        revert(reason);
    }

    function _initialize(address account, address[] calldata owners) private {
        address[] memory plugins = new address[](1);
        bytes32[] memory hashes = new bytes32[](1);
        bytes[] memory datas = new bytes[](1);
        plugins[0] = MULTI_OWNER_PLUGIN;
        hashes[0] = _manifestHash;
        datas[0] = abi.encode(owners);
        IAccount(account).initialize(plugins, abi.encode(hashes, datas));
    }

    /// Checks the number and the order of the owners.
    function _requireOwners(address[] calldata owners) private pure {
        if (owners.length > MAX_OWNERS) revert OwnersLimitExceeded();
        address last;
        for (uint256 i; i < owners.length; ++i) {
            if (owners[i] <= last) revert InvalidOwner();
            last = owners[i];
        }
    }

    function _combinedSalt(uint256 salt, address[] calldata owners) private pure returns (bytes32) {
        return keccak256(abi.encode(salt, abi.encode(owners)));
    }
}
