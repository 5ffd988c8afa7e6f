// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AddressSet} from "../../common/AddressSet.sol";
import {Initializable} from "../../common/Initializable.sol";
import {LightAccountV2Base} from "./LightAccountV2Base.sol";

/// Implements MultiOwnerLightAccount v2.0.0, with several owners, keys or contracts, each with all rights. An owner, or
/// the account itself, may call updateOwners. For local and private chains. Unaudited: public chains have the audited
/// contract at the same address.
contract MultiOwnerLightAccount is LightAccountV2Base {
    using AddressSet for AddressSet.Set;

    error EmptyOwnersNotAllowed();
    error OwnerDoesNotExist(address owner);

    event LightAccountInitialized(address indexed entryPoint, address[] owners);
    event OwnersUpdated(address[] addedOwners, address[] removedOwners);

    // Slot of the set of owners, in its own namespace (ERC-7201):
    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.MultiOwnerLightAccount")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0xeb3df9d94f2fc5117105001121ddd2cf5fb3922c593d294e292b19028d065800;

    string private constant NAME = "MultiOwnerLightAccount";

    /// Marks a signature by an owner that is a contract, as its first byte; the owner's address follows.
    bytes1 private constant BY_CONTRACT_WITH_ADDRESS = 0x02;

    constructor(address entryPoint_) LightAccountV2Base(entryPoint_, NAME) Initializable(NAME) {}

    /// Initializes the account. Called once by the factory, in the transaction that creates the proxy.
    function initialize(address[] calldata owners_) external initializer {
        emit LightAccountInitialized(entryPoint(), owners_);
        _updateOwners(owners_, new address[](0));
    }

    /// Removes, then adds: an address in both lists stays an owner.
    function updateOwners(address[] calldata ownersToAdd, address[] calldata ownersToRemove) external onlyAdministrator {
        _updateOwners(ownersToAdd, ownersToRemove);
    }

    /// Lists the owners, newest first.
    function owners() external view returns (address[] memory) {
        return _owners().values();
    }

    function _updateOwners(address[] calldata ownersToAdd, address[] memory ownersToRemove) private {
        AddressSet.Set storage set = _owners();
        for (uint256 i; i < ownersToRemove.length; ++i) {
            if (!set.remove(ownersToRemove[i])) revert OwnerDoesNotExist(ownersToRemove[i]);
        }
        for (uint256 i; i < ownersToAdd.length; ++i) {
            address added = ownersToAdd[i];
            // An account that owned itself could not be controlled by anyone.
            if (added == address(0) || added == address(this) || !set.add(added)) revert InvalidOwner(added);
        }
        if (set.isEmpty()) revert EmptyOwnersNotAllowed();
        emit OwnersUpdated(ownersToAdd, ownersToRemove);
    }

    function _leave() internal override {
        _owners().clear();
    }

    function _isOwner(address caller) internal view override returns (bool) {
        return _owners().contains(caller);
    }

    function _domainName() internal pure override returns (string memory) {
        return NAME;
    }

    function _contractOwner(bytes calldata signature) internal pure override returns (address, bytes calldata) {
        if (signature[0] != BY_CONTRACT_WITH_ADDRESS || signature.length < 21) revert InvalidSignatureType();
        return (address(bytes20(signature[1:21])), signature[21:]);
    }

    function _owners() private pure returns (AddressSet.Set storage set) {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            set.slot := slot
        }
    }
}
