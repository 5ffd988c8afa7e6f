// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Implements a plugin that returns what a test set and records its calls. Any caller may set it: for tests only.
contract ScriptedPlugin {
    struct Answer {
        bytes data;
        bool reverts;
    }

    struct Step {
        address target;
        bytes data;
    }

    event Asked(address indexed account, bytes data);

    mapping(bytes4 selector => Answer) private _answers;
    /// Call that it makes in its own name before it returns.
    mapping(bytes4 selector => Step) private _steps;
    /// ERC-165 ids that it denies; it claims every other.
    mapping(bytes4 interfaceId => bool) private _denied;

    function answer(bytes4 selector, bytes calldata data, bool reverts) external {
        _answers[selector] = Answer(data, reverts);
    }

    function step(bytes4 selector, address target, bytes calldata data) external {
        _steps[selector] = Step(target, data);
    }

    function deny(bytes4 interfaceId, bool isDenied) external {
        _denied[interfaceId] = isDenied;
    }

    /// Calls in the plugin's own name, and passes on a revert.
    function act(address target, bytes calldata data) external payable returns (bytes memory) {
        return _call(target, msg.value, data);
    }

    function supportsInterface(bytes4 interfaceId) external view returns (bool) {
        return interfaceId != 0xffffffff && !_denied[interfaceId];
    }

    /// Answers a static call: nothing is recorded.
    function pluginManifest() external view {
        Answer memory told = _answers[msg.sig];
        if (told.reverts) _revert(told.data);
        bytes memory data = told.data;
        assembly {
            return(add(data, 0x20), mload(data))
        }
    }

    fallback(bytes calldata data) external returns (bytes memory) {
        Answer memory told = _answers[msg.sig];
        if (told.reverts) _revert(told.data);
        emit Asked(msg.sender, data);
        Step memory next = _steps[msg.sig];
        if (next.target != address(0)) _call(next.target, 0, next.data);
        return told.data;
    }

    /// Passes on a revert.
    function _call(address target, uint256 value, bytes memory data) private returns (bytes memory result) {
        bool success;
        (success, result) = target.call{value: value}(data);
        if (!success) _revert(result);
    }

    function _revert(bytes memory reason) private pure {
        assembly {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}
