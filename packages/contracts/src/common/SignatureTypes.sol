// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {OwnerSignature} from "./OwnerSignature.sol";

/// Checks signatures whose first byte names their maker: 0x00 a key, 0x01 a contract.
library SignatureTypes {
    error InvalidSignatureType();

    function isValid(address signer, bytes32 digest, bytes calldata signature) internal view returns (bool) {
        if (signature.length == 0) revert InvalidSignatureType();
        if (signature[0] == 0x00) return OwnerSignature.isByKey(signer, digest, signature[1:]);
        if (signature[0] != 0x01) revert InvalidSignatureType();
        // An account that asked itself would take any key's signature for its owner's.
        return signer != address(this) && OwnerSignature.isByContract(signer, digest, signature[1:]);
    }
}
