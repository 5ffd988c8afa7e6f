import { parseAbi } from 'viem'

/** What an account asks its entry point; EntryPoint 0.6 and 0.7 have it alike. */
export const entryPointReadsAbi = /* @__PURE__ */ parseAbi([
  'function getNonce(address sender, uint192 key) view returns (uint256 nonce)',
  'function getSenderAddress(bytes initCode)',
])

/** What EntryPoint 0.6 and 0.7 tell of an operation in a block; both have it alike. */
export const entryPointAbi = /* @__PURE__ */ parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
])
