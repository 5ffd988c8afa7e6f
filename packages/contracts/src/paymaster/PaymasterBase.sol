// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {TwoStepOwner} from "../common/TwoStepOwner.sol";
import {IStakeManager} from "../interfaces/IStakeManager.sol";

/// Pays for the operations its signer signed for. It keeps nothing about operations: the entry point's nonce already
/// makes each count once, so signatures for several operations of one sender can be used in any order.
///
/// The paymaster's data are 97 bytes: a word (`uint48 validUntil`, `uint48 validAfter`, the rest zero) and a 65-byte
/// signature over the operation, EIP-712 in this contract's domain. Data of any other form, and a signature by any other
/// key, give a failed signature: validation never reverts when the entry point asks, so a gas estimate with a dummy works.
abstract contract PaymasterBase is TwoStepOwner {
    error InvalidEntryPoint(address entryPoint);
    error InvalidSigner(address signer);
    error NotEntryPoint(address caller);
    error ZeroAddressNotAllowed();

    event SignerRotationStarted(address indexed signer, address indexed nextSigner);
    event SignerRotated(address indexed previousSigner, address indexed signer);

    bytes32 private constant DOMAIN_TYPE_HASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("LatchkeyPaymaster");
    bytes32 private constant VERSION_HASH = keccak256("1");

    /// Packed validation data (ERC-4337): its low 20 bytes are 1 for a wrong signature.
    uint256 private constant SIGNATURE_FAILED = 1;
    uint256 private constant SIGNATURE_LENGTH = 65;
    uint256 internal constant DATA_LENGTH = 32 + SIGNATURE_LENGTH;

    IStakeManager private immutable _entryPoint;
    uint256 private immutable _chainId;
    bytes32 private immutable _domain;

    /// Whose signatures count. Both do while a rotation is under way.
    address public signer;
    /// Zero when no rotation is under way.
    address public nextSigner;

    constructor(address owner, address entryPoint_, address signer_) TwoStepOwner(owner) {
        if (entryPoint_.code.length == 0) revert InvalidEntryPoint(entryPoint_);
        if (signer_ == address(0)) revert InvalidSigner(signer_);
        _entryPoint = IStakeManager(entryPoint_);
        _chainId = block.chainid;
        _domain = _computeDomain();
        signer = signer_;
        emit SignerRotated(address(0), signer_);
    }

    /// Whose operations it pays for.
    function entryPoint() public view returns (address) {
        return address(_entryPoint);
    }

    /// Wei it has at the entry point.
    function getDeposit() external view returns (uint256) {
        return _entryPoint.balanceOf(address(this));
    }

    /// Adds to the deposit. Anyone may.
    function deposit() external payable {
        _entryPoint.depositTo{value: msg.value}(address(this));
    }

    function withdrawTo(address payable to, uint256 amount) external onlyOwner {
        if (to == address(0)) revert ZeroAddressNotAllowed();
        _entryPoint.withdrawTo(to, amount);
    }

    /// Adds what is sent along to the stake, and locks it for `unstakeDelay` seconds from `unlockStake` on.
    function addStake(uint32 unstakeDelay) external payable onlyOwner {
        _entryPoint.addStake{value: msg.value}(unstakeDelay);
    }

    function unlockStake() external onlyOwner {
        _entryPoint.unlockStake();
    }

    function withdrawStake(address payable to) external onlyOwner {
        if (to == address(0)) revert ZeroAddressNotAllowed();
        _entryPoint.withdrawStake(to);
    }

    /// From now on the signatures of `next` count, too; the zero address takes that back.
    function startSignerRotation(address next) external onlyOwner {
        if (next == signer) revert InvalidSigner(next);
        nextSigner = next;
        emit SignerRotationStarted(signer, next);
    }

    /// From now on the signatures of the old signer count no more.
    function finishSignerRotation() external onlyOwner {
        address next = nextSigner;
        if (next == address(0)) revert InvalidSigner(next);
        emit SignerRotated(signer, next);
        signer = next;
        delete nextSigner;
    }

    /// Packed validation data for an operation: whether a signer signed for it, and between which times that counts.
    function _validate(bytes32 structHash, bytes calldata data) internal view returns (uint256) {
        uint256 word = uint256(bytes32(data[:32]));
        // Where the word has both times at its top, validation data have them lower: 6 bytes each above 20 bytes.
        uint256 times = uint256(uint48(word >> 160)) << 208 | uint256(uint48(word >> 208)) << 160;
        bool isValid = uint160(word) == 0 && _isSigner(Ecdsa.tryRecover(_toDigest(structHash), data[32:]));
        return isValid ? times : times | SIGNATURE_FAILED;
    }

    function _requireEntryPoint() internal view {
        if (msg.sender != address(_entryPoint)) revert NotEntryPoint(msg.sender);
    }

    /// Validation data of an operation whose paymaster data have another length.
    function _malformed() internal pure returns (uint256) {
        return SIGNATURE_FAILED;
    }

    /// The times in the first word of the paymaster's data.
    function _timesIn(bytes calldata data) internal pure returns (uint48 validUntil, uint48 validAfter) {
        uint256 word = uint256(bytes32(data[:32]));
        return (uint48(word >> 208), uint48(word >> 160));
    }

    /// What the signer signs (EIP-712). After a fork of the chain the old id must not count.
    function _toDigest(bytes32 structHash) internal view returns (bytes32) {
        bytes32 domain = block.chainid == _chainId ? _domain : _computeDomain();
        return keccak256(abi.encodePacked("\x19\x01", domain, structHash));
    }

    /// `ecrecover` returns zero for what it cannot recover: no signer is zero, but `nextSigner` may be.
    function _isSigner(address recovered) private view returns (bool) {
        return recovered != address(0) && (recovered == signer || recovered == nextSigner);
    }

    function _computeDomain() private view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPE_HASH, NAME_HASH, VERSION_HASH, block.chainid, address(this)));
    }
}
