// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "../../common/Initializable.sol";
import {SingleOwnerLightAccount} from "../SingleOwnerLightAccount.sol";
import {LightAccountV2Base} from "./LightAccountV2Base.sol";

/// A smart account with one owner, a key or a contract: LightAccount v2.0.0.
/// For local and private chains. Unaudited: public chains have the audited contract at the same address.
contract LightAccountV2 is SingleOwnerLightAccount, LightAccountV2Base {
    string private constant NAME = "LightAccount";

    /// First byte of a signature by the owner that is a contract.
    bytes1 private constant BY_CONTRACT = 0x01;

    constructor(address entryPoint_) LightAccountV2Base(entryPoint_, NAME) {}

    /// Called once by the factory, in the transaction that makes the proxy.
    function initialize(address owner_) external initializer {
        _setFirstOwner(owner_);
    }

    function _domainName() internal pure override returns (string memory) {
        return NAME;
    }

    function _contractOwner(bytes calldata signature) internal view override returns (address, bytes calldata) {
        if (signature[0] != BY_CONTRACT) revert InvalidSignatureType();
        return (owner(), signature[1:]);
    }

    function _leave() internal override(Initializable, SingleOwnerLightAccount) {
        super._leave();
    }
}
