import { parseAbi } from 'viem'

/** The owner functions of MultiOwnerPlugin 1.0.0. The account answers to those without an `account` argument. */
export const multiOwnerPluginAbi = /* @__PURE__ */ parseAbi([
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function isOwnerOf(address account, address ownerToCheck) view returns (bool)',
  'function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)',
  'function ownersOf(address account) view returns (address[])',
  'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
])
