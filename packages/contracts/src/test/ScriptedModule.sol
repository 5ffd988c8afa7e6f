// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Implements a module of modular accounts v2 that returns what a test set and records its calls. Any caller may set it:
/// for tests only.
contract ScriptedModule {
    struct Answer {
        bytes data;
        bool reverts;
    }

    event Asked(address indexed account, bytes data);

    mapping(bytes4 selector => Answer) private _answers;

    function answer(bytes4 selector, bytes calldata data, bool reverts) external {
        _answers[selector] = Answer(data, reverts);
    }

    /// Claims every interface.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId != 0xffffffff;
    }

    /// Static calls cannot be recorded.
    function preSignatureValidationHook(uint32, address, bytes32, bytes calldata) external view {
        _answerStatically();
    }

    function validateSignature(address, uint32, address, bytes32, bytes calldata) external view returns (bytes4) {
        _answerStatically();
    }

    fallback(bytes calldata data) external returns (bytes memory) {
        Answer memory told = _answers[msg.sig];
        if (told.reverts) _revert(told.data);
        emit Asked(msg.sender, data);
        return told.data;
    }

    function _answerStatically() private view {
        Answer memory told = _answers[msg.sig];
        if (told.reverts) _revert(told.data);
        bytes memory data = told.data;
        assembly {
            return(add(data, 0x20), mload(data))
        }
    }

    function _revert(bytes memory reason) private pure {
        assembly {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}
