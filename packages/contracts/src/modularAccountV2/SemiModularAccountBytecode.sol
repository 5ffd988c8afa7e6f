// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ModularAccountBase} from "./ModularAccountBase.sol";
import {SemiModularAccountBase} from "./SemiModularAccountBase.sol";

/// Implements the semi-modular account whose first fallback signer is the end of its proxy's code. For local and private
/// chains. Unaudited: public chains have the audited contract at the same address.
contract SemiModularAccountBytecode is SemiModularAccountBase {
    constructor(address anEntryPoint, address executionInstallDelegate)
        ModularAccountBase(anEntryPoint, executionInstallDelegate)
    {}

    function accountId() external pure override returns (string memory) {
        return "alchemy.sma-bytecode.1.0.0";
    }

    /// Other proxies end in no address, so no account can be upgraded to this code.
    function proxiableUUID() public pure override returns (bytes32) {
        revert UnauthorizedCallContext();
    }

    function _fallbackSigner() internal view override returns (address signer) {
        signer = super._fallbackSigner();
        if (signer != address(0)) return signer;
        assembly ("memory-safe") {
            mstore(0, 0)
            extcodecopy(address(), 12, sub(extcodesize(address()), 20), 20)
            signer := mload(0)
        }
    }
}
