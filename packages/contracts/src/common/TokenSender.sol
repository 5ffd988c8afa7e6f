// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Sends ERC-20 tokens, including those that return nothing. Reverts for those that return false.
abstract contract TokenSender {
    error AddressEmptyCode(address target);
    // The published ABI names it; nothing here raises it.
    error AddressInsufficientBalance(address account);
    error FailedInnerCall();
    error SafeERC20FailedOperation(address token);

    function _sendToken(address token, address to, uint256 amount) internal {
        (bool success, bytes memory result) =
            token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        if (!success) _passOn(result);
        if (result.length == 0 && token.code.length == 0) revert AddressEmptyCode(token);
        if (result.length != 0 && (result.length < 32 || abi.decode(result, (uint256)) != 1)) {
            revert SafeERC20FailedOperation(token);
        }
    }

    function _passOn(bytes memory result) private pure {
        if (result.length == 0) revert FailedInnerCall();
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }
}
