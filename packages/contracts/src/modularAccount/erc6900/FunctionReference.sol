// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Names a function of a plugin (ERC-6900): the plugin's address, then the function's id. Without an address: 0 is
/// none, 1 allows every direct call, 2 denies every call.
type FunctionReference is bytes21;

function toFunctionReference(address plugin, uint8 functionId) pure returns (FunctionReference) {
    return FunctionReference.wrap(bytes21(bytes20(plugin)) | bytes21(uint168(functionId)));
}

function fromFunctionReference(FunctionReference given) pure returns (address plugin, uint8 functionId) {
    bytes21 raw = FunctionReference.unwrap(given);
    return (address(bytes20(raw)), uint8(uint168(raw)));
}
