// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MessageAccountV1} from "./MessageAccountV1.sol";

/// Implements LightAccount v1.1.0. For local and private chains. Unaudited: public chains have the audited contract at
/// the same address.
contract LightAccountV1_1_0 is MessageAccountV1 {
    constructor(address anEntryPoint) MessageAccountV1(anEntryPoint) {}
}
