// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A plugin that answers what a test told it to, and says what it was asked. Whoever likes may tell it: for tests only.
contract ScriptedPlugin {
    struct Answer {
        bytes data;
        bool reverts;
    }

    event Asked(address indexed account, bytes data);

    mapping(bytes4 selector => Answer) private _answers;
    /// ERC-165 ids it denies; it claims every other.
    mapping(bytes4 interfaceId => bool) private _denied;

    function answer(bytes4 selector, bytes calldata data, bool reverts) external {
        _answers[selector] = Answer(data, reverts);
    }

    function deny(bytes4 interfaceId, bool isDenied) external {
        _denied[interfaceId] = isDenied;
    }

    /// Calls in the plugin's own name, and passes a revert on.
    function act(address target, bytes calldata data) external payable returns (bytes memory result) {
        bool success;
        (success, result) = target.call{value: msg.value}(data);
        if (!success) _revert(result);
    }

    function supportsInterface(bytes4 interfaceId) external view returns (bool) {
        return interfaceId != 0xffffffff && !_denied[interfaceId];
    }

    /// Read with a static call: nothing is noted.
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
        return told.data;
    }

    function _revert(bytes memory reason) private pure {
        assembly {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}
