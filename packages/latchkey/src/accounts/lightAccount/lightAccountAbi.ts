import { parseAbi } from 'viem'

/** What a client calls on a LightAccount; alike in every version. */
export const lightAccountAbi = /* @__PURE__ */ parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
  'function initialize(address anOwner)',
  'function owner() view returns (address)',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
])

/** What a client calls on a LightAccount factory; alike in every version. */
export const lightAccountFactoryAbi = /* @__PURE__ */ parseAbi(['function createAccount(address owner, uint256 salt)'])
