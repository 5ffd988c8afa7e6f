// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ModularAccountBase} from "./ModularAccountBase.sol";
import {SemiModularAccountBase} from "./SemiModularAccountBase.sol";

/// Implements the semi-modular account that other accounts are upgraded to: its fallback signer is in storage alone. For
/// local and private chains. Unaudited: public chains have the audited contract at the same address.
contract SemiModularAccountStorageOnly is SemiModularAccountBase {
    constructor(address anEntryPoint, address executionInstallDelegate)
        ModularAccountBase(anEntryPoint, executionInstallDelegate)
    {}

    function initialize(address initialSigner) external initializerOfUpgrade {
        _setFallbackSigner(initialSigner, false);
    }

    function accountId() external pure override returns (string memory) {
        return "alchemy.sma-storage.1.0.0";
    }
}
