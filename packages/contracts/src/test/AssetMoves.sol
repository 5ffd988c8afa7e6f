// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Forwards ether, for tests of simulations.
contract Relay {
    error Refused();

    receive() external payable {}

    /// Sends through each of `path`, which are relays except for the last.
    function pass(address payable[] calldata path) external payable {
        if (path.length == 1) return _send(path[0]);
        Relay(path[0]).pass{value: msg.value}(path[1:]);
    }

    /// Sends in a call that reverts afterwards, and continues.
    function passAndRevert(address payable to) external payable {
        try this.sendAndRefuse{value: msg.value}(to) {} catch {}
    }

    function sendAndRefuse(address payable to) external payable {
        _send(to);
        revert Refused();
    }

    function _send(address payable to) private {
        (bool success,) = to.call{value: msg.value}("");
        require(success);
    }
}

/// Implements an ERC-20 that keeps a tenth of each transfer. An honest one reports what arrives, another the requested
/// amount.
contract FeeToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "Fee";
    string public constant symbol = "FEE";
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    bool private immutable _isHonest;

    constructor(bool isHonest) {
        _isHonest = isHonest;
        balanceOf[address(this)] = 1_000_000;
    }

    /// Sends from the token's own balance.
    function give(address to, uint256 amount) external {
        _move(address(this), to, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        uint256 fee = amount / 10;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - fee;
        emit Transfer(from, to, _isHonest ? amount - fee : amount);
        if (_isHonest) emit Transfer(from, address(0), fee);
    }
}
