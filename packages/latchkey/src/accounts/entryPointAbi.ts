import { parseAbi } from 'viem'

/** The part of EntryPoint 0.6 and 0.7 that accounts and clients use; both versions have it alike. */
export const entryPointAbi = /* @__PURE__ */ parseAbi([
  'error SenderAddressResult(address sender)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'function balanceOf(address account) view returns (uint256)',
  'function depositTo(address account) payable',
  'function getNonce(address sender, uint192 key) view returns (uint256 nonce)',
  'function getSenderAddress(bytes initCode)',
])
