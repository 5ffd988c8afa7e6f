// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../common/Ecdsa.sol";
import {TwoStepOwner} from "../common/TwoStepOwner.sol";
import {IStakeManager} from "../interfaces/IStakeManager.sol";

/// Pays for operations that its signer signed. It stores nothing about operations: the entry point's nonce already
/// makes each count once, so signatures for several operations of one sender can be used in any order.
///
/// The paymaster's data are 97 bytes: a word (`uint48 validUntil`, `uint48 validAfter`, the rest zero) and a 65-byte
/// signature over the operation, EIP-712 in this contract's domain; on entry point 0.9 ten more bytes mark the signature
/// as no part of the operation's hash. Data of any other form, and signatures by other keys, give a failed signature. Validation never reverts when the entry point asks, so gas can be estimated with a
/// dummy.
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

    /// Packed validation data (ERC-4337): the low 20 bytes are 1 for a wrong signature.
    uint256 private constant SIGNATURE_FAILED = 1;
    uint256 internal constant DATA_LENGTH = 97;

    IStakeManager private immutable _entryPoint;
    uint256 private immutable _chainId;
    bytes32 private immutable _domain;

    /// Signer whose signatures count. During a rotation both do.
    address public signer;
    /// Zero unless a rotation is in progress.
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

    /// Returns the entry point whose operations it pays for.
    function entryPoint() public view returns (address) {
        return address(_entryPoint);
    }

    /// Returns its deposit at the entry point, in wei.
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

    /// Adds the ether sent along to the stake, and locks it for `unstakeDelay` seconds from `unlockStake` on.
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

    /// Accepts signatures of `next` as well from now on; the zero address withdraws that.
    function startSignerRotation(address next) external onlyOwner {
        if (next == signer) revert InvalidSigner(next);
        nextSigner = next;
        emit SignerRotationStarted(signer, next);
    }

    /// Refuses signatures of the old signer from now on.
    function finishSignerRotation() external onlyOwner {
        address next = nextSigner;
        if (next == address(0)) revert InvalidSigner(next);
        emit SignerRotated(signer, next);
        signer = next;
        delete nextSigner;
    }

    modifier onlyEntryPoint() {
        if (msg.sender != address(_entryPoint)) revert NotEntryPoint(msg.sender);
        _;
    }

    /// Returns packed validation data for an operation: whether a signer signed it, and between which times that
    /// counts. `userOp` is its offset in calldata, `field` that of `paymasterAndData` in it, and our data begin at
    /// `start` of these and end `tail` bytes before their end. `message` is the signed struct, as created by `_encode`.
    function _validate(uint256 userOp, uint256 field, uint256 start, uint256 tail, bytes memory message)
        internal
        view
        returns (uint256)
    {
        uint256 length;
        uint256 word;
        bytes32 r;
        bytes32 s;
        uint256 v;
        assembly ("memory-safe") {
            let paymasterAndData := add(userOp, calldataload(add(userOp, field)))
            length := calldataload(paymasterAndData)
            let data := add(add(paymasterAndData, 0x20), start)
            word := calldataload(data)
            r := calldataload(add(data, 0x20))
            s := calldataload(add(data, 0x40))
            v := byte(0, calldataload(add(data, 0x60)))
        }
        if (length != start + DATA_LENGTH + tail) return SIGNATURE_FAILED;
        uint256 validUntil = word >> 208;
        uint256 validAfter = uint48(word >> 160);
        // Validation data have the times below the word: 6 bytes each above 20 bytes.
        uint256 times = validAfter << 208 | validUntil << 160;
        address recovered = Ecdsa.tryRecover(_toDigest(message, validUntil, validAfter), r, s, uint8(v));
        return uint160(word) == 0 && _isSigner(recovered) ? times : times | SIGNATURE_FAILED;
    }

    /// Encodes the signed struct (EIP-712) of the given number of words: the first ones, which both entry points share.
    /// `_toDigest` sets the second to fourth, the caller those from the ninth on. Both versions have the same fields at
    /// the start of an operation: sender, nonce, initCode, callData. The entry point encodes operations again, so
    /// offsets and lengths in them are correct.
    function _encode(uint256 userOp, bytes32 typeHash, uint256 words) internal pure returns (bytes memory message) {
        bytes32 initCodeHash = _hashBytes(userOp, 0x40);
        bytes32 callDataHash = _hashBytes(userOp, 0x60);
        assembly ("memory-safe") {
            let length := mul(words, 0x20)
            message := mload(0x40)
            mstore(0x40, add(message, add(length, 0x20)))
            mstore(message, length)
            mstore(add(message, 0x20), typeHash)
            calldatacopy(add(message, 0xa0), userOp, 0x40)
            mstore(add(message, 0xe0), initCodeHash)
            mstore(add(message, 0x100), callDataHash)
        }
    }

    /// Returns the digest that the signer signs: the struct in this contract's domain. After a fork of the chain the
    /// old id must not count.
    function _toDigest(bytes memory message, uint256 validUntil, uint256 validAfter)
        internal
        view
        returns (bytes32 digest)
    {
        bytes32 domain = block.chainid == _chainId ? _domain : _computeDomain();
        address entryPoint_ = address(_entryPoint);
        assembly ("memory-safe") {
            mstore(add(message, 0x40), entryPoint_)
            mstore(add(message, 0x60), validUntil)
            mstore(add(message, 0x80), validAfter)
            let structHash := keccak256(add(message, 0x20), mload(message))
            // The memory of the message is reused, since nothing reads it any more.
            mstore(message, 0x1901)
            mstore(add(message, 0x20), domain)
            mstore(add(message, 0x40), structHash)
            digest := keccak256(add(message, 0x1e), 0x42)
        }
    }

    /// Hashes the bytes that a struct has at `field`, both offsets in calldata. Copies them behind the memory in use.
    function _hashBytes(uint256 userOp, uint256 field) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let data := add(userOp, calldataload(add(userOp, field)))
            let length := calldataload(data)
            let free := mload(0x40)
            calldatacopy(free, add(data, 0x20), length)
            hash := keccak256(free, length)
        }
    }

    /// `ecrecover` returns zero for what it cannot recover; no signer is zero, but `nextSigner` may be.
    function _isSigner(address recovered) private view returns (bool) {
        return recovered != address(0) && (recovered == signer || recovered == nextSigner);
    }

    function _computeDomain() private view returns (bytes32) {
        return keccak256(abi.encode(DOMAIN_TYPE_HASH, NAME_HASH, VERSION_HASH, block.chainid, address(this)));
    }
}
