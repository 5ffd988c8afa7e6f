// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IReceiver {
    function onERC721Received(address, address, uint256, bytes calldata) external returns (bytes4);
    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external returns (bytes4);
}

/// Implements the part of ERC-721 that a transfer by its owner needs.
contract Collection721 {
    error NotOwner();
    error NotReceived();

    mapping(uint256 => address) public ownerOf;

    function give(address to, uint256 id) external {
        ownerOf[id] = to;
    }

    function safeTransferFrom(address from, address to, uint256 id) external {
        if (msg.sender != from || ownerOf[id] != from) revert NotOwner();
        ownerOf[id] = to;
        if (to.code.length == 0) return;
        bytes4 reply = IReceiver(to).onERC721Received(msg.sender, from, id, "");
        if (reply != IReceiver.onERC721Received.selector) revert NotReceived();
    }
}

/// Implements the part of ERC-1155 that a transfer by its owner needs.
contract Collection1155 {
    error NotOwner();
    error NotReceived();

    mapping(address => mapping(uint256 => uint256)) public balanceOf;

    function give(address to, uint256 id, uint256 amount) external {
        balanceOf[to][id] += amount;
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external {
        if (msg.sender != from) revert NotOwner();
        balanceOf[from][id] -= amount;
        balanceOf[to][id] += amount;
        if (to.code.length == 0) return;
        bytes4 reply = IReceiver(to).onERC1155Received(msg.sender, from, id, amount, data);
        if (reply != IReceiver.onERC1155Received.selector) revert NotReceived();
    }
}
