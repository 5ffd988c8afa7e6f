// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PackedPaymaster} from "./PackedPaymaster.sol";
import {PaymasterBase} from "./PaymasterBase.sol";

/// Implements the paymaster of entry point 0.7.
contract Paymaster07 is PackedPaymaster {
    constructor(address owner, address entryPoint, address signer) PaymasterBase(owner, entryPoint, signer) {}
}
