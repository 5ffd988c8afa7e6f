// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenSender} from "../../common/TokenSender.sol";
import {TwoStepOwner} from "../../common/TwoStepOwner.sol";
import {IStakeManager07} from "../../interfaces/IStakeManager07.sol";
import {MinimalProxy} from "./MinimalProxy.sol";

/// Deploys proxies of one kind of light account v2.0.0 with CREATE2, at the addresses they have on public chains.
///
/// Anyone may create any account. The owner of the factory manages its stake at the entry point and may withdraw what
/// was sent to the factory, and has no power over accounts.
abstract contract LightAccountFactoryV2Base is TokenSender, TwoStepOwner {
    error InvalidEntryPoint(address entryPoint);
    error TransferFailed();
    error ZeroAddressNotAllowed();

    address public immutable ACCOUNT_IMPLEMENTATION;
    IStakeManager07 public immutable ENTRY_POINT;

    constructor(address owner, address entryPoint, address implementation) TwoStepOwner(owner) {
        if (!_isEntryPoint(entryPoint)) revert InvalidEntryPoint(entryPoint);
        ENTRY_POINT = IStakeManager07(entryPoint);
        ACCOUNT_IMPLEMENTATION = implementation;
    }

    receive() external payable {}

    /// Adds `amount` wei to the factory's stake, and locks it for `unstakeDelay` seconds from `unlockStake` on.
    function addStake(uint32 unstakeDelay, uint256 amount) external payable onlyOwner {
        ENTRY_POINT.addStake{value: amount}(unstakeDelay);
    }

    function unlockStake() external onlyOwner {
        ENTRY_POINT.unlockStake();
    }

    function withdrawStake(address payable to) external onlyOwner {
        if (to == address(0)) revert ZeroAddressNotAllowed();
        ENTRY_POINT.withdrawStake(to);
    }

    /// Withdraws assets sent to the factory: ether (`token` zero) or an ERC-20.
    function withdraw(address payable to, address token, uint256 amount) external onlyOwner {
        if (to == address(0)) revert ZeroAddressNotAllowed();
        if (token != address(0)) return _sendToken(token, to, amount);
        (bool success,) = to.call{value: amount}("");
        if (!success) revert TransferFailed();
    }

    /// Returns the account of a salt, and whether it existed before: getSenderAddress of the entry point and clients
    /// that race themselves rely on a result in that case, too.
    function _deploy(bytes32 salt) internal returns (address account, bool existed) {
        bytes memory code = MinimalProxy.creationCode(ACCOUNT_IMPLEMENTATION);
        account = _addressOf(code, salt);
        if (account.code.length != 0) return (account, true);
        assembly ("memory-safe") {
            // The constructor of the proxy cannot revert; it can only run out of gas.
            if iszero(create2(0, add(code, 0x20), mload(code), salt)) { revert(0, 0) }
        }
    }

    /// Returns the address of the account of a salt, deployed or not.
    function _addressOf(bytes32 salt) internal view returns (address) {
        return _addressOf(MinimalProxy.creationCode(ACCOUNT_IMPLEMENTATION), salt);
    }

    /// Computes a CREATE2 address (EIP-1014).
    function _addressOf(bytes memory code, bytes32 salt) private view returns (address) {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(code)));
        return address(uint160(uint256(hash)));
    }

    /// Checks that the entry point manages stakes (ERC-165): version 0.7 says so, earlier ones don't answer.
    function _isEntryPoint(address candidate) private view returns (bool) {
        (bool success, bytes memory result) = candidate.staticcall(
            abi.encodeWithSignature("supportsInterface(bytes4)", type(IStakeManager07).interfaceId)
        );
        return success && result.length == 32 && abi.decode(result, (uint256)) == 1;
    }
}
