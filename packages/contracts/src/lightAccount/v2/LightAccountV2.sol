// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "../../common/Initializable.sol";
import {SingleOwnerLightAccount} from "../SingleOwnerLightAccount.sol";
import {LightAccountV2Base} from "./LightAccountV2Base.sol";

/// Implements LightAccount v2.0.0, with one owner, a key or a contract. For local and private chains. Unaudited: public
/// chains have the audited contract at the same address.
contract LightAccountV2 is SingleOwnerLightAccount, LightAccountV2Base {
    string private constant NAME = "LightAccount";

    /// Marks a signature by an owner that is a contract, as its first byte.
    bytes1 private constant BY_CONTRACT = 0x01;

    constructor(address entryPoint_) LightAccountV2Base(entryPoint_, NAME) {}

    /// Initializes the account. Called once by the factory, in the transaction that creates the proxy.
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
