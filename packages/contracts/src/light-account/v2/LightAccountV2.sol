// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../../common/Ecdsa.sol";
import {Initializable} from "../../common/Initializable.sol";
import {OwnerSignature} from "../../common/OwnerSignature.sol";
import {TokenReceiver} from "../../common/TokenReceiver.sol";
import {UupsUpgradeable} from "../../common/UupsUpgradeable.sol";
import {IERC1271} from "../../interfaces/IERC1271.sol";
import {IEntryPoint07, PackedUserOperation} from "../../interfaces/IEntryPoint07.sol";

/// A smart account with one owner, a key or a contract: LightAccount v2.0.0 for entry point 0.7.
/// For local and private chains. Unaudited: public chains have the audited contract at the same address.
///
/// Who may do what:
/// - the entry point or the owner: execute, executeBatch;
/// - the owner, or the account itself (that is: the owner by way of execute): transferOwnership,
///   withdrawDepositTo, upgradeToAndCall;
/// - the entry point alone: validateUserOp;
/// - anyone: addDeposit, sending ether and tokens, and every view.
///
/// A signature starts with one byte that says whose it is: 0x00 a key's, 0x01 a contract's.
contract LightAccountV2 is IERC1271, Initializable, TokenReceiver, UupsUpgradeable {
    error ArrayLengthMismatch();
    error InvalidOwner(address owner);
    error InvalidSignatureType();
    error NotAuthorized(address caller);
    error ZeroAddressNotAllowed();

    event LightAccountInitialized(address indexed entryPoint, address indexed owner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// @custom:storage-location erc7201:latchkey.storage.LightAccountV2
    struct LightAccountStorage {
        address owner;
    }

    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.LightAccountV2")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0x221f29d311eabc3d4296bc71649643c0b96eaae3421d1efa2c682b051567f100;

    bytes32 private constant DOMAIN_TYPE_HASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant MESSAGE_TYPE_HASH = keccak256("LightAccountMessage(bytes message)");
    string private constant NAME = "LightAccount";
    string private constant VERSION = "2";

    // ERC-4337: a wrong signature is reported, not reverted, so that gas can be estimated with any signature.
    uint256 private constant SIG_VALIDATION_FAILED = 1;

    bytes1 private constant BY_KEY = 0x00;
    bytes1 private constant BY_CONTRACT = 0x01;

    IEntryPoint07 private immutable _entryPoint;

    /// The entry point, or the owner directly.
    modifier onlyEntryPointOrOwner() {
        if (msg.sender != address(_entryPoint) && msg.sender != owner()) revert NotAuthorized(msg.sender);
        _;
    }

    /// The owner directly, or by way of execute.
    modifier onlyOwner() {
        _requireOwner();
        _;
    }

    constructor(address entryPoint_) {
        _entryPoint = IEntryPoint07(entryPoint_);
        _disableInitializers();
    }

    receive() external payable {}

    /// Called once by the factory, in the transaction that makes the proxy.
    function initialize(address owner_) external initializer {
        _setFirstOwner(owner_);
    }

    function execute(address dest, uint256 value, bytes calldata func) external onlyEntryPointOrOwner {
        _call(dest, value, func);
    }

    function executeBatch(address[] calldata dest, bytes[] calldata func) external onlyEntryPointOrOwner {
        if (dest.length != func.length) revert ArrayLengthMismatch();
        for (uint256 i; i < dest.length; ++i) {
            _call(dest[i], 0, func[i]);
        }
    }

    function executeBatch(address[] calldata dest, uint256[] calldata value, bytes[] calldata func)
        external
        onlyEntryPointOrOwner
    {
        if (dest.length != value.length || dest.length != func.length) revert ArrayLengthMismatch();
        for (uint256 i; i < dest.length; ++i) {
            _call(dest[i], value[i], func[i]);
        }
    }

    function transferOwnership(address newOwner) external onlyOwner {
        address previous = owner();
        // The account as its own owner could never be spoken for again.
        if (newOwner == address(0) || newOwner == address(this) || newOwner == previous) revert InvalidOwner(newOwner);
        _lightAccountStorage().owner = newOwner;
        emit OwnershipTransferred(previous, newOwner);
    }

    /// ERC-4337 (entry point 0.7): says whether the owner signed `userOpHash` and pays what the account owes. Reverts
    /// for a signature that is none: another first byte, or malformed ECDSA.
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        if (msg.sender != address(_entryPoint)) revert NotAuthorized(msg.sender);
        validationData = _isOwners(Ecdsa.toPersonalHash(userOpHash), userOpHash, userOp.signature)
            ? 0
            : SIG_VALIDATION_FAILED;
        if (missingAccountFunds != 0) {
            // The entry point checks its own balance afterwards: a failure here is its to report.
            (bool success,) = payable(msg.sender).call{value: missingAccountFunds}("");
            (success);
        }
    }

    function addDeposit() external payable {
        _entryPoint.depositTo{value: msg.value}(address(this));
    }

    function withdrawDepositTo(address payable withdrawAddress, uint256 amount) external onlyOwner {
        if (withdrawAddress == address(0)) revert ZeroAddressNotAllowed();
        _entryPoint.withdrawTo(withdrawAddress, amount);
    }

    function getDeposit() external view returns (uint256) {
        return _entryPoint.balanceOf(address(this));
    }

    function getNonce() external view returns (uint256) {
        return _entryPoint.getNonce(address(this), 0);
    }

    function entryPoint() external view returns (address) {
        return address(_entryPoint);
    }

    /// ERC-1271. The owner signs the digest wrapped in this account's EIP-712 domain, so that a signature for one
    /// account is worth nothing for another account of the same owner. Reverts for a signature that is none.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4 result) {
        bytes32 wrapped = getMessageHash(abi.encode(hash));
        return _isOwners(wrapped, wrapped, signature) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// ERC-5267: the domain of `getMessageHash`. `fields` names the four in use.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (hex"0f", NAME, VERSION, block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    function owner() public view returns (address) {
        return _lightAccountStorage().owner;
    }

    /// EIP-712 hash of `LightAccountMessage(message)` in this account's domain.
    function getMessageHash(bytes memory message) public view returns (bytes32) {
        bytes32 structHash = keccak256(abi.encode(MESSAGE_TYPE_HASH, keccak256(message)));
        return keccak256(abi.encodePacked("\x19\x01", _domainSeparator(), structHash));
    }

    function _setFirstOwner(address owner_) private onlyInitializing {
        if (owner_ == address(0) || owner_ == address(this)) revert InvalidOwner(owner_);
        _lightAccountStorage().owner = owner_;
        emit LightAccountInitialized(address(_entryPoint), owner_);
        emit OwnershipTransferred(address(0), owner_);
    }

    function _authorizeUpgrade(address) internal view override {
        _requireOwner();
    }

    function _requireOwner() private view {
        if (msg.sender != address(this) && msg.sender != owner()) revert NotAuthorized(msg.sender);
    }

    /// Whether the owner stands behind `signature`: a key over `keyHash`, a contract over `contractHash`.
    function _isOwners(bytes32 keyHash, bytes32 contractHash, bytes calldata signature) private view returns (bool) {
        if (signature.length == 0) revert InvalidSignatureType();
        bytes calldata rest = signature[1:];
        if (signature[0] == BY_KEY) return Ecdsa.recover(keyHash, rest) == owner();
        if (signature[0] == BY_CONTRACT) return OwnerSignature.isByContract(owner(), contractHash, rest);
        revert InvalidSignatureType();
    }

    /// Calls, and passes the other side's revert on as it is.
    function _call(address target, uint256 value, bytes calldata data) private {
        (bool success, bytes memory result) = target.call{value: value}(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }

    /// Computed at every call: after a fork of the chain the old id must not verify.
    function _domainSeparator() private view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPE_HASH, keccak256(bytes(NAME)), keccak256(bytes(VERSION)), block.chainid, address(this)
            )
        );
    }

    function _lightAccountStorage() private pure returns (LightAccountStorage storage state) {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            state.slot := slot
        }
    }
}
