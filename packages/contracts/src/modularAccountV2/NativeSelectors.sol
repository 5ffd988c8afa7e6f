// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenReceiver} from "../common/TokenReceiver.sol";
import {IERC1822} from "../common/Proxiable.sol";
import {IERC1271} from "../interfaces/IERC1271.sol";
import {IAccount, IAccountExecute} from "./IAccount.sol";
import {IModularAccount, IModularAccountView} from "./erc6900/IModularAccount.sol";

/// Lists the own functions of modular accounts v2. Those of semi-modular accounts count for every account, so that a
/// change between them gives no module's function another meaning.
library NativeSelectors {
    bytes4 internal constant PERFORM_CREATE = bytes4(keccak256("performCreate(uint256,bytes,bool,bytes32)"));
    bytes4 internal constant UPDATE_FALLBACK_SIGNER_DATA = bytes4(keccak256("updateFallbackSignerData(address,bool)"));
    bytes4 internal constant UPGRADE_TO_AND_CALL = bytes4(keccak256("upgradeToAndCall(address,bytes)"));
    bytes4 private constant ENTRY_POINT = bytes4(keccak256("entryPoint()"));
    bytes4 private constant GET_FALLBACK_SIGNER_DATA = bytes4(keccak256("getFallbackSignerData()"));
    bytes4 private constant INITIALIZE = bytes4(keccak256("initialize(address)"));
    bytes4 private constant INITIALIZE_WITH_VALIDATION =
        bytes4(keccak256("initializeWithValidation(bytes25,bytes4[],bytes,bytes[])"));

    /// Lists the functions that need a validation.
    function isGuarded(bytes4 selector) internal pure returns (bool) {
        return selector == IModularAccount.execute.selector || selector == IModularAccount.executeBatch.selector
            || selector == IModularAccount.installExecution.selector
            || selector == IModularAccount.uninstallExecution.selector
            || selector == IModularAccount.installValidation.selector
            || selector == IModularAccount.uninstallValidation.selector || selector == UPGRADE_TO_AND_CALL
            || selector == PERFORM_CREATE || selector == UPDATE_FALLBACK_SIGNER_DATA;
    }

    function contains(bytes4 selector) internal pure returns (bool) {
        return isGuarded(selector) || _isEntrance(selector) || _isAnswer(selector);
    }

    function _isEntrance(bytes4 selector) private pure returns (bool) {
        return selector == IAccount.validateUserOp.selector || selector == IAccountExecute.executeUserOp.selector
            || selector == IModularAccount.executeWithRuntimeValidation.selector || selector == INITIALIZE
            || selector == INITIALIZE_WITH_VALIDATION;
    }

    function _isAnswer(bytes4 selector) private pure returns (bool) {
        return selector == IERC1271.isValidSignature.selector || selector == IERC1822.proxiableUUID.selector
            || selector == IModularAccount.accountId.selector || selector == IModularAccountView.getExecutionData.selector
            || selector == IModularAccountView.getValidationData.selector || selector == ENTRY_POINT
            || selector == GET_FALLBACK_SIGNER_DATA || selector == TokenReceiver.supportsInterface.selector
            || selector == TokenReceiver.onERC721Received.selector
            || selector == TokenReceiver.onERC1155Received.selector
            || selector == TokenReceiver.onERC1155BatchReceived.selector;
    }
}
