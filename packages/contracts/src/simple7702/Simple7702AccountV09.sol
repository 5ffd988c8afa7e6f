// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {TokenReceiver} from "../common/TokenReceiver.sol";
import {PackedUserOperation} from "../interfaces/UserOperation07.sol";

/// Runs at the address of a key that delegates to it (EIP-7702), on entry point 0.9. The key owns the account: it keeps no
/// state. Its functions are those that viem's `toSimple7702SmartAccount` calls.
contract Simple7702AccountV09 is TokenReceiver {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    error ExecuteError(uint256 index, bytes revertData);
    error NotFromEntryPoint(address caller, address account, address entryPoint);

    uint256 private constant SIGNATURE_FAILED = 1;
    bytes4 private constant VALID_SIGNATURE = 0x1626ba7e;

    address public immutable entryPoint;

    constructor(address entryPoint_) {
        entryPoint = entryPoint_;
    }

    receive() external payable {}

    /// Accepts any call, as a key does.
    fallback() external payable {}

    function execute(address target, uint256 value, bytes calldata data) external {
        _requireSelfOrEntryPoint();
        (bool ok, bytes memory result) = target.call{value: value}(data);
        if (ok) return;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }

    /// Makes several calls, all or none.
    function executeBatch(Call[] calldata calls) external {
        _requireSelfOrEntryPoint();
        for (uint256 index; index < calls.length; index++) {
            (bool ok, bytes memory result) = calls[index].target.call{value: calls[index].value}(calls[index].data);
            if (!ok) revert ExecuteError(index, result);
        }
    }

    /// Validates an operation that the key signed by its hash (EIP-712), and pays the entry point what is missing.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        if (msg.sender != entryPoint) revert NotFromEntryPoint(msg.sender, address(this), entryPoint);
        if (Ecdsa.tryRecover(userOpHash, userOp.signature) != address(this)) validationData = SIGNATURE_FAILED;
        if (missingAccountFunds == 0) return validationData;
        // The entry point checks its balance itself.
        (bool ok,) = payable(msg.sender).call{value: missingAccountFunds}("");
        ok;
    }

    /// Checks the key's signature (ERC-1271). The hash is not wrapped, as for a key without code.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return Ecdsa.tryRecover(hash, signature) == address(this) ? VALID_SIGNATURE : bytes4(0xffffffff);
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == VALID_SIGNATURE // ERC-1271
            || interfaceId == 0x19822f7c // IAccount
            || super.supportsInterface(interfaceId);
    }

    function _requireSelfOrEntryPoint() private view {
        if (msg.sender != entryPoint && msg.sender != address(this)) {
            revert NotFromEntryPoint(msg.sender, address(this), entryPoint);
        }
    }
}
