// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {SignatureTypes} from "../common/SignatureTypes.sol";
import {IERC1271} from "../interfaces/IERC1271.sol";
import {PackedUserOperation} from "../interfaces/UserOperation07.sol";
import {ValidationData} from "../modularAccount/ValidationData.sol";
import {AccountStorage} from "./AccountStorage.sol";
import {Encoding} from "./Encoding.sol";
import {ModularAccountBase} from "./ModularAccountBase.sol";
import {Segments} from "./Segments.sol";

/// Adds a validation of the account's own, with entity id 0: the fallback signer, a key or a contract, may do everything.
/// It may have hooks, installed under the zero module entity.
abstract contract SemiModularAccountBase is ModularAccountBase {
    using Encoding for bytes25;
    using Segments for bytes;

    error FallbackSignerDisabled();
    error FallbackSignerMismatch();
    error FallbackValidationInstallationNotAllowed();

    event FallbackSignerUpdated(address indexed newFallbackSigner, bool isDisabled);

    uint192 private constant FALLBACK = 0;
    bytes32 private constant REPLAY_SAFE_TYPE_HASH = keccak256("ReplaySafeHash(bytes32 hash)");

    /// Sets the fallback signer, or disables it. Disabled, the account obeys installed validations alone.
    function updateFallbackSignerData(address fallbackSigner, bool isDisabled) external guarded {
        _setFallbackSigner(fallbackSigner, isDisabled);
    }

    function getFallbackSignerData() external view returns (address, bool) {
        return (_fallbackSigner(), AccountStorage.state().isFallbackDisabled);
    }

    function _setFallbackSigner(address signer, bool isDisabled) internal {
        AccountStorage.State storage state = AccountStorage.state();
        (state.fallbackSigner, state.isFallbackDisabled) = (signer, isDisabled);
        emit FallbackSignerUpdated(signer, isDisabled);
    }

    function _fallbackSigner() internal view virtual returns (address) {
        return AccountStorage.state().fallbackSigner;
    }

    /// Allows hooks alone under the fallback's entity id.
    function _installValidation(
        bytes25 config,
        bytes4[] calldata selectors,
        bytes calldata installData,
        bytes[] calldata hooks
    ) internal override {
        if (config.entityIdOf() == FALLBACK) {
            bool isHooksOnly = config.moduleOf() == address(0) && selectors.length == 0 && installData.length == 0;
            if (!isHooksOnly) revert FallbackValidationInstallationNotAllowed();
            AccountStorage.state().hasFallbackHooks = true;
        }
        super._installValidation(config, selectors, installData, hooks);
    }

    function _mayHaveHooks(uint192 key) internal view override returns (bool) {
        return key != FALLBACK || AccountStorage.state().hasFallbackHooks;
    }

    function _flagsOf(AccountStorage.Validation storage validation, uint192 key)
        internal
        view
        override
        returns (uint8)
    {
        if (key != FALLBACK) return super._flagsOf(validation, key);
        return Encoding.USER_OP_VALIDATION | Encoding.SIGNATURE_VALIDATION | Encoding.GLOBAL_VALIDATION;
    }

    function _askAboutUserOp(
        AccountStorage.Validation storage validation,
        uint192 key,
        PackedUserOperation calldata userOp,
        bytes32 userOpHash,
        bytes calldata signature
    ) internal override returns (uint256) {
        if (key != FALLBACK) return super._askAboutUserOp(validation, key, userOp, userOpHash, signature);
        uint256 hooked;
        bool isHooked = _hasValidationHooks(validation, key);
        if (isHooked) (hooked, signature) = _runUserOpHooks(validation, userOp, userOpHash, signature);
        bool isSigned = _isFallbackSigners(Ecdsa.toPersonalHash(userOpHash), signature.last());
        uint256 answer = isSigned ? 0 : ValidationData.SIGNATURE_FAILED;
        return isHooked ? ValidationData.intersect(hooked, answer) : answer;
    }

    function _askAboutRuntime(
        AccountStorage.Validation storage validation,
        uint192 key,
        bytes calldata data,
        bytes calldata authorization
    ) internal override {
        if (key != FALLBACK) return super._askAboutRuntime(validation, key, data, authorization);
        if (msg.sender != _enabledFallbackSigner()) revert FallbackSignerMismatch();
    }

    /// Other than in a deferred action, whose digest is bound to the account, the signer signs `ReplaySafeHash(hash)`.
    function _askAboutSignature(
        AccountStorage.Validation storage validation,
        uint192 key,
        bytes32 hash,
        bytes calldata signature,
        address sender
    ) internal view override returns (bytes4) {
        if (key != FALLBACK) return super._askAboutSignature(validation, key, hash, signature, sender);
        bytes32 digest =
            sender == address(this) ? hash : _toDigest(keccak256(abi.encode(REPLAY_SAFE_TYPE_HASH, hash)));
        return _isFallbackSigners(digest, signature) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function _isFallbackSigners(bytes32 digest, bytes calldata signature) private view returns (bool) {
        return SignatureTypes.isValid(_enabledFallbackSigner(), digest, signature);
    }

    function _enabledFallbackSigner() private view returns (address) {
        if (AccountStorage.state().isFallbackDisabled) revert FallbackSignerDisabled();
        return _fallbackSigner();
    }
}
