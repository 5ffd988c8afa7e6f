// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenSender} from "../../common/TokenSender.sol";
import {TwoStepOwner} from "../../common/TwoStepOwner.sol";
import {IStakeManager07} from "../../interfaces/IStakeManager07.sol";
import {LightAccountV2} from "./LightAccountV2.sol";
import {MinimalProxy} from "./MinimalProxy.sol";

/// Deploys LightAccount v2.0.0 proxies with CREATE2, at the addresses they have on public chains.
/// For local and private chains. Unaudited.
///
/// Anyone may make any owner's account. The factory's own owner keeps its stake at the entry point and may take out
/// what was sent to the factory; accounts are none of its business.
contract LightAccountFactoryV2 is TokenSender, TwoStepOwner {
    error InvalidEntryPoint(address entryPoint);
    error TransferFailed();
    error ZeroAddressNotAllowed();

    LightAccountV2 public immutable ACCOUNT_IMPLEMENTATION;
    IStakeManager07 public immutable ENTRY_POINT;

    constructor(address owner, address entryPoint) TwoStepOwner(owner) {
        if (!_isEntryPoint(entryPoint)) revert InvalidEntryPoint(entryPoint);
        ENTRY_POINT = IStakeManager07(entryPoint);
        ACCOUNT_IMPLEMENTATION = new LightAccountV2(entryPoint);
    }

    receive() external payable {}

    /// Deploys the account of `owner` and `salt`, or answers the one that is there: the entry point's
    /// getSenderAddress and a client that races itself both rely on that.
    function createAccount(address owner, uint256 salt) external returns (LightAccountV2 account) {
        address predicted = getAddress(owner, salt);
        if (predicted.code.length != 0) return LightAccountV2(payable(predicted));

        bytes memory code = MinimalProxy.creationCode(address(ACCOUNT_IMPLEMENTATION));
        bytes32 combined = _combinedSalt(owner, salt);
        assembly ("memory-safe") {
            account := create2(0, add(code, 0x20), mload(code), combined)
            // The proxy's constructor cannot revert: only gas can run out.
            if iszero(account) { revert(0, 0) }
        }
        account.initialize(owner);
    }

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

    /// Takes out what was sent here: ether (`token` zero) or an ERC-20.
    function withdraw(address payable to, address token, uint256 amount) external onlyOwner {
        if (to == address(0)) revert ZeroAddressNotAllowed();
        if (token != address(0)) return _sendToken(token, to, amount);
        (bool success,) = to.call{value: amount}("");
        if (!success) revert TransferFailed();
    }

    /// Where the account of `owner` and `salt` is or will be (EIP-1014).
    function getAddress(address owner, uint256 salt) public view returns (address) {
        bytes32 codeHash = keccak256(MinimalProxy.creationCode(address(ACCOUNT_IMPLEMENTATION)));
        bytes32 hash =
            keccak256(abi.encodePacked(bytes1(0xff), address(this), _combinedSalt(owner, salt), codeHash));
        return address(uint160(uint256(hash)));
    }

    function _combinedSalt(address owner, uint256 salt) private pure returns (bytes32) {
        return keccak256(abi.encode(owner, salt));
    }

    /// ERC-165: an entry point 0.7 says that it keeps stakes; earlier ones say nothing.
    function _isEntryPoint(address candidate) private view returns (bool) {
        (bool success, bytes memory result) = candidate.staticcall(
            abi.encodeWithSignature("supportsInterface(bytes4)", type(IStakeManager07).interfaceId)
        );
        return success && result.length == 32 && abi.decode(result, (uint256)) == 1;
    }
}
