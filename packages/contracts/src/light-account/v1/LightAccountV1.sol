// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ecdsa} from "../../common/Ecdsa.sol";
import {Initializable} from "../../common/Initializable.sol";
import {OwnerSignature} from "../../common/OwnerSignature.sol";
import {TokenReceiver} from "../../common/TokenReceiver.sol";
import {Upgradeable} from "../../common/Upgradeable.sol";
import {IERC1271} from "../../interfaces/IERC1271.sol";
import {IEntryPoint06, UserOperation} from "../../interfaces/IEntryPoint06.sol";

/// A smart account with one owner, a key or a contract: LightAccount v1.1.0 for entry point 0.6.
/// For local and private chains. Unaudited: public chains have the audited contract at the same address.
///
/// Who may do what:
/// - the entry point or the owner: execute, executeBatch;
/// - the owner, or the account itself (that is: the owner by way of execute): transferOwnership,
///   withdrawDepositTo, upgradeTo, upgradeToAndCall;
/// - the entry point alone: validateUserOp;
/// - anyone: addDeposit, sending ether and tokens, and every view.
contract LightAccountV1 is IERC1271, Initializable, TokenReceiver, Upgradeable {
    error ArrayLengthMismatch();
    error InvalidOwner(address owner);
    error NotAuthorized(address caller);

    event LightAccountInitialized(address indexed entryPoint, address indexed owner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// @custom:storage-location erc7201:latchkey.storage.LightAccountV1
    struct LightAccountStorage {
        address owner;
    }

    // keccak256(abi.encode(uint256(keccak256("latchkey.storage.LightAccountV1")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SLOT = 0xffd8713efa6769df44ef897de3d3f25d190d5dd23901966768b4e990672dc600;

    bytes32 private constant DOMAIN_TYPE_HASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant MESSAGE_TYPE_HASH = keccak256("LightAccountMessage(bytes message)");

    // ERC-4337: a wrong signature is reported, not reverted, so that gas can be estimated with any signature.
    uint256 private constant SIG_VALIDATION_FAILED = 1;

    IEntryPoint06 private immutable _entryPoint;

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

    constructor(address anEntryPoint) {
        _entryPoint = IEntryPoint06(anEntryPoint);
        _disableInitializers();
    }

    receive() external payable {}

    /// Called once by the proxy's constructor.
    function initialize(address anOwner) external initializer {
        _setFirstOwner(anOwner);
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

    /// ERC-4337 (entry point 0.6): says whether the owner signed `userOpHash` and pays what the account owes.
    function validateUserOp(UserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData)
    {
        if (msg.sender != address(_entryPoint)) revert NotAuthorized(msg.sender);
        validationData = _isOwnersOperation(userOpHash, userOp.signature) ? 0 : SIG_VALIDATION_FAILED;
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
        _entryPoint.withdrawTo(withdrawAddress, amount);
    }

    /// ERC-777 asks before it comes.
    function tokensReceived(address, address, address, uint256, bytes calldata, bytes calldata) external pure {}

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
    /// account is worth nothing for another account of the same owner.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        bytes32 hash = getMessageHash(abi.encode(digest));
        address anOwner = owner();
        return OwnerSignature.isByKey(anOwner, hash, signature)
            || OwnerSignature.isByContract(anOwner, hash, signature)
            ? IERC1271.isValidSignature.selector
            : bytes4(0xffffffff);
    }

    function owner() public view returns (address) {
        return _lightAccountStorage().owner;
    }

    /// EIP-712 hash of `LightAccountMessage(message)` in this account's domain.
    function getMessageHash(bytes memory message) public view returns (bytes32) {
        return keccak256(encodeMessageData(message));
    }

    /// The bytes whose hash the owner signs.
    function encodeMessageData(bytes memory message) public view returns (bytes memory) {
        bytes32 structHash = keccak256(abi.encode(MESSAGE_TYPE_HASH, keccak256(message)));
        return abi.encodePacked("\x19\x01", domainSeparator(), structHash);
    }

    /// Computed at every call: after a fork of the chain the old id must not verify.
    function domainSeparator() public view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPE_HASH, keccak256("LightAccount"), keccak256("1"), block.chainid, address(this))
        );
    }

    function _setFirstOwner(address anOwner) private onlyInitializing {
        if (anOwner == address(0) || anOwner == address(this)) revert InvalidOwner(anOwner);
        _lightAccountStorage().owner = anOwner;
        emit LightAccountInitialized(address(_entryPoint), anOwner);
        emit OwnershipTransferred(address(0), anOwner);
    }

    function _authorizeUpgrade(address) internal view override {
        _requireOwner();
    }

    function _requireOwner() private view {
        if (msg.sender != address(this) && msg.sender != owner()) revert NotAuthorized(msg.sender);
    }

    /// A key signs the personal hash; a contract judges the bare user operation hash.
    function _isOwnersOperation(bytes32 userOpHash, bytes calldata signature) private view returns (bool) {
        address anOwner = owner();
        return OwnerSignature.isByKey(anOwner, Ecdsa.toPersonalHash(userOpHash), signature)
            || OwnerSignature.isByContract(anOwner, userOpHash, signature);
    }

    /// Calls, and passes the other side's revert on as it is.
    function _call(address target, uint256 value, bytes calldata data) private {
        (bool success, bytes memory result) = target.call{value: value}(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(result, 0x20), mload(result))
        }
    }

    function _lightAccountStorage() private pure returns (LightAccountStorage storage state) {
        bytes32 slot = SLOT;
        assembly ("memory-safe") {
            state.slot := slot
        }
    }
}
