import { decodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { FirstOwner } from './accountDescriptor.ts'

const factoriesAbi = /* @__PURE__ */ parseAbi([
  'function createSemiModularAccount(address owner, uint256 salt) returns (address)',
  'function createWebAuthnAccount(uint256 ownerX, uint256 ownerY, uint256 salt, uint32 entityId) returns (address)',
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function createAccount(address[] owners, uint256 salt) returns (address)',
  'function createAccount(uint256 salt, address[] owners) returns (address)',
])

/** Decodes the owners and the salt of a factory call. @throws `UNSUPPORTED_ACCOUNT_TYPE`. */
export function decodeCreation(data: Hex): { firstOwners: readonly FirstOwner[]; salt: string } {
  const { functionName, args } = decodeCreate(data)
  if (functionName === 'createWebAuthnAccount') {
    const [x, y, salt, entityId] = args
    const point = { x: numberToHex(x, { size: 32 }), y: numberToHex(y, { size: 32 }) }
    return { firstOwners: [{ kind: 'passkey', ...point, entityId }], salt: String(salt) }
  }
  const [first, second] = args
  const salt = typeof first === 'bigint' ? first : second
  const owners = typeof first === 'bigint' ? second : first
  return {
    firstOwners: typeof owners === 'string' ? [owners] : Array.isArray(owners) ? owners : [],
    salt: String(salt),
  }
}

function decodeCreate(data: Hex) {
  try {
    return decodeFunctionData({ abi: factoriesAbi, data })
  } catch (cause) {
    throw new BaseError('A descriptor cannot name the factory call that creates this account.', {
      code: 'UNSUPPORTED_ACCOUNT_TYPE',
      metaMessages: [
        'Describe an account that addresses own; of the modes of a Modular Account v2, only `default` and `webauthn`.',
      ],
      cause,
    })
  }
}
