// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ModularAccountBase} from "./ModularAccountBase.sol";

/// Implements ModularAccount v2, all of whose validations are modules. For local and private chains. Unaudited: public
/// chains have the audited contract at the same address.
contract ModularAccount is ModularAccountBase {
    constructor(address anEntryPoint, address executionInstallDelegate)
        ModularAccountBase(anEntryPoint, executionInstallDelegate)
    {}

    /// Initializes the account with its first validation.
    function initializeWithValidation(
        bytes25 validationConfig,
        bytes4[] calldata selectors,
        bytes calldata installData,
        bytes[] calldata hooks
    ) external initializerOfUpgrade {
        _installValidation(validationConfig, selectors, installData, hooks);
    }

    function accountId() external pure override returns (string memory) {
        return "alchemy.modular-account.2.0.0";
    }
}
