// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IStakeManager07} from "../interfaces/IStakeManager07.sol";
import {ModularFactoryBase} from "./ModularFactoryBase.sol";

/// Deploys modular accounts v2 of passkeys. For local and private chains. Unaudited.
contract WebAuthnFactory is ModularFactoryBase {
    error NoCodeAccountImpl();
    error NoCodeWebAuthnModule();

    constructor(
        IStakeManager07 _entryPoint,
        address _accountImpl,
        address _webAuthnValidationModule,
        address owner
    ) ModularFactoryBase(_entryPoint, _accountImpl, _webAuthnValidationModule, owner) {
        if (_accountImpl.code.length == 0) revert NoCodeAccountImpl();
        if (_webAuthnValidationModule.code.length == 0) revert NoCodeWebAuthnModule();
    }
}
