// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {IERC1271} from "../interfaces/IERC1271.sol";
import {AccountStorage} from "./AccountStorage.sol";
import {ModularAccountBase} from "./ModularAccountBase.sol";
import {SemiModularAccount7702} from "./SemiModularAccount7702.sol";

/// Implements version 1.1.0 of the account of EIP-7702, which also accepts what its key signed without the account: 65
/// bytes, or 64 (ERC-2098), over the unwrapped hash. It does so while the key itself is the fallback signer, without hooks
/// of validation. Such signatures that the key made before it delegated here become valid.
contract SemiModularAccount7702V1_1 is SemiModularAccount7702 {
    constructor(address anEntryPoint, address executionInstallDelegate)
        SemiModularAccount7702(anEntryPoint, executionInstallDelegate)
    {}

    function accountId() external pure override returns (string memory) {
        return "alchemy.sma-7702.1.1.0";
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) public view override returns (bytes4) {
        bool isBare = signature.length == 64 || signature.length == 65;
        if (!isBare || !_acceptsBareSignatures()) return super.isValidSignature(hash, signature);
        return _recover(hash, signature) == address(this) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function _acceptsBareSignatures() private view returns (bool) {
        return !AccountStorage.state().isFallbackDisabled && _fallbackSigner() == address(this)
            && !_hasValidationHooks(_validationOf(0), 0);
    }

    function _recover(bytes32 hash, bytes calldata signature) private pure returns (address) {
        if (signature.length == 65) return Ecdsa.tryRecover(hash, signature);
        uint256 yParityAndS = uint256(bytes32(signature[32:]));
        bytes32 s = bytes32(yParityAndS & uint256(type(int256).max));
        return Ecdsa.tryRecover(hash, bytes32(signature[:32]), s, uint8(27 + (yParityAndS >> 255)));
    }
}
