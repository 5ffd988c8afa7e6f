// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Protects against losing ownership by mistake: the next owner must accept, and ownership cannot be renounced.
abstract contract TwoStepOwner {
    error InvalidAction();
    error OwnableInvalidOwner(address owner);
    error OwnableUnauthorizedAccount(address account);

    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    address public owner;
    address public pendingOwner;

    modifier onlyOwner() {
        if (msg.sender != owner) _refuse(msg.sender, "Ownable: caller is not the owner");
        _;
    }

    constructor(address owner_) {
        if (owner_ == address(0)) revert OwnableInvalidOwner(owner_);
        _setOwner(owner_);
    }

    /// Offers ownership; the zero address withdraws an offer.
    function transferOwnership(address newOwner) external onlyOwner {
        pendingOwner = newOwner;
        emit OwnershipTransferStarted(owner, newOwner);
    }

    function acceptOwnership() external {
        if (msg.sender != pendingOwner) _refuse(msg.sender, "Ownable2Step: caller is not the new owner");
        _setOwner(msg.sender);
    }

    /// Always reverts: a stake without an owner would be lost.
    function renounceOwnership() external view onlyOwner {
        revert InvalidAction();
    }

    /// Factories older than named errors revert with the text.
    function _refuse(address caller, string memory) internal pure virtual {
        revert OwnableUnauthorizedAccount(caller);
    }

    function _setOwner(address newOwner) private {
        address previous = owner;
        delete pendingOwner;
        owner = newOwner;
        emit OwnershipTransferred(previous, newOwner);
    }
}
