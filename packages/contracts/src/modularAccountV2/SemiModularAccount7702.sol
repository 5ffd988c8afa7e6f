// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ModularAccountBase} from "./ModularAccountBase.sol";
import {SemiModularAccountBase} from "./SemiModularAccountBase.sol";

/// Implements the semi-modular account at the address of a key that delegates to it (EIP-7702), version 1.0.0: the key is
/// the fallback signer until it names another. For local and private chains. Unaudited: public chains have the audited
/// contract at the same address.
contract SemiModularAccount7702 is SemiModularAccountBase {
    constructor(address anEntryPoint, address executionInstallDelegate)
        ModularAccountBase(anEntryPoint, executionInstallDelegate)
    {}

    function accountId() external pure virtual override returns (string memory) {
        return "alchemy.sma-7702.1.0.0";
    }

    /// Refuses every proxy: its address belongs to no key.
    function proxiableUUID() public pure override returns (bytes32) {
        revert UnauthorizedCallContext();
    }

    /// Refuses: the code changes by another delegation.
    function upgradeToAndCall(address, bytes calldata) public payable override {
        revert UnauthorizedCallContext();
    }

    function _fallbackSigner() internal view override returns (address signer) {
        signer = super._fallbackSigner();
        return signer == address(0) ? address(this) : signer;
    }
}
