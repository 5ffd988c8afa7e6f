// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {IAccountExecute} from "../modularAccountV2/IAccount.sol";
import {Call, IModularAccount} from "../modularAccountV2/erc6900/IModularAccount.sol";

/// Reads what an account is about to call, from what hooks are told.
library CalledByAccount {
    /// Returns the call data that a validation judges, without the selector of executeUserOp in front.
    function toCallData(bytes calldata callData) internal pure returns (bytes memory) {
        return bytes4(callData) == IAccountExecute.executeUserOp.selector ? callData[4:] : callData;
    }

    /// Returns the account's call data from what an execution hook gets: the call itself, or the function of the account
    /// around it.
    function fromHookData(bytes calldata data) internal pure returns (bytes memory) {
        bytes4 selector = bytes4(data);
        if (selector == IAccountExecute.executeUserOp.selector) {
            (PackedUserOperation memory userOp,) = abi.decode(data[4:], (PackedUserOperation, bytes32));
            return withoutSelector(userOp.callData);
        }
        if (selector != IModularAccount.executeWithRuntimeValidation.selector) return data;
        (bytes memory inner,) = abi.decode(data[4:], (bytes, bytes));
        return inner;
    }

    /// Lists the calls of execute and executeBatch; none for other functions.
    function toCalls(bytes memory callData) internal pure returns (Call[] memory calls) {
        bytes4 selector = bytes4(callData);
        if (selector == IModularAccount.executeBatch.selector) {
            return abi.decode(withoutSelector(callData), (Call[]));
        }
        if (selector != IModularAccount.execute.selector) return calls;
        calls = new Call[](1);
        (calls[0].target, calls[0].value, calls[0].data) =
            abi.decode(withoutSelector(callData), (address, uint256, bytes));
    }

    /// Returns a copy from the fifth byte on; empty if there is none.
    function withoutSelector(bytes memory data) internal pure returns (bytes memory rest) {
        if (data.length <= 4) return rest;
        rest = new bytes(data.length - 4);
        for (uint256 i; i < rest.length; i += 32) {
            assembly ("memory-safe") {
                mstore(add(add(rest, 0x20), i), mload(add(add(data, 0x24), i)))
            }
        }
    }
}
