import { type ModularAccountV2Delegate, modularAccountV2Delegates, modularAccountV2Modules } from 'latchkey-protocol'
import {
  type Address,
  concat,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  type Hex,
  isAddress,
  isAddressEqual,
  keccak256,
  numberToHex,
  padHex,
  parseAbi,
  size,
  type TypedDataDefinition,
} from 'viem'
import { getModularAccountV2Contracts } from '../../core/chains/modularAccountV2Contracts.ts'
import type { AccountContracts, ModularAccountV2Mode } from '../../core/chains/types.ts'
import type { AccountContract, Creation, SignedBy, WrapHash } from '../contract.ts'
import { createDelegationMethods } from '../createDelegationMethods.ts'
import type { PasskeyPoint } from '../owners/passkeyPoint.ts'
import { type DeferredAction, encodeDeferredAction } from './deferredAction.ts'
import { encodeEntityId, encodeModularV2Calls, toHookedCallData } from './encoding.ts'
import {
  decodeNonceKey,
  encodeNonceKey,
  hasDeferredAction,
  isDeferredActionOpen,
  type NonceEntity,
} from './nonceKey.ts'

/** Validation function that the signer uses. */
export type SignerEntity = NonceEntity & {
  /** Whether the validation has execution hooks. Call data must then start with `executeUserOp`. */
  hasExecutionHooks: boolean
  /** Data of validation hooks, in the order of their indices. */
  hookData: readonly HookData[]
}

/** Data of the validation hook at `index`. */
export type HookData = { index: number; data: Hex }

export declare namespace modularAccountV2Contract {
  type Parameters = {
    mode: ModularAccountV2Mode
    /** Release of the code in the mode `7702`. */
    delegate?: ModularAccountV2Delegate | undefined
    /** Entity id of the owner when the account was created; 0 for `default`. */
    creationEntityId: number
    entity: SignerEntity
    passkey?: PasskeyPoint | undefined
    deferredAction?: DeferredAction | undefined
  }
  type ReturnType = AccountContract<'ModularAccountV2', 'v2.0.0'>
}

/** Returns the contract of a Modular Account v2 for a signer with the given validation function. */
export function modularAccountV2Contract(
  parameters: modularAccountV2Contract.Parameters,
): modularAccountV2Contract.ReturnType {
  const { mode, entity, passkey, deferredAction } = parameters
  const factoryMode = mode === '7702' ? undefined : mode
  const encodeCalls: AccountContract['encodeCalls'] = (calls, account) => {
    const callData = encodeModularV2Calls(calls, account)
    return entity.hasExecutionHooks ? toHookedCallData(callData) : callData
  }
  return {
    source: 'ModularAccountV2',
    version: 'v2.0.0',
    entryPointVersion: '0.7.0',
    erc1271: wrapHash(mode, entity.entityId, passkey !== undefined),
    delegate: factoryMode
      ? undefined
      : (place) => createDelegationMethods({ ...place, ...listDelegates(parameters.delegate), namesDelegate: false }),
    contractsOn: (chain) => factoryMode && getModularAccountV2Contracts({ mode: factoryMode, chain }),
    // Only an authorization of its key can change the code of a delegated address.
    implementationsOn:
      factoryMode &&
      ((chain) => {
        const known = getModularAccountV2Contracts({ mode: factoryMode, chain })
        return known ? [known.implementation] : []
      }),
    listOwners: (_, signer) => [signer],
    encodeCreate: (creation) => encodeCreate(creation, parameters),
    predictAddress: (creation) =>
      getContractAddress({
        opcode: 'CREATE2',
        from: creation.factory,
        salt: hashSalt(creation, parameters),
        bytecode: getProxyCode(creation, mode),
      }),
    encodeCalls,
    nonceKeys: {
      async encode(key, readNext) {
        const ordinary = encodeNonceKey(key, { ...entity, hasDeferredAction: false })
        if (!deferredAction) return ordinary
        const deferred = deferredAction.nonce >> 64n
        return isDeferredActionOpen(deferredAction.nonce, await readNext(deferred)) ? deferred : ordinary
      },
      decode: decodeNonceKey,
    },
    isOperationPrefixed: true,
    isUnwrapped: isDeferredAction,
    wrapSignature: (signature, by) => {
      const typed = passkey ? signature : concat([by.isContract ? '0x01' : '0x00', signature])
      return wrapSignature(typed, by, { entity, deferredAction })
    },
  }
}

function listDelegates(release: ModularAccountV2Delegate = 'v1.0.0') {
  const implementation = modularAccountV2Delegates[release]
  const known: readonly Address[] = Object.values(modularAccountV2Delegates)
  const at = known.indexOf(implementation)
  return { delegates: { implementation, newer: known.slice(at + 1), older: known.slice(0, at) } }
}

function wrapSignature(
  typed: Hex,
  { use, nonce }: SignedBy,
  { entity, deferredAction }: { entity: SignerEntity; deferredAction: DeferredAction | undefined },
): Hex {
  switch (use) {
    case 'action':
      return typed
    case 'message':
      return concat([
        validationOptions,
        encodeEntityId(entity.entityId),
        ...entity.hookData.map(toSegment),
        last,
        typed,
      ])
    case 'operation': {
      const action = deferredAction && nonce !== undefined && hasDeferredAction(nonce) ? deferredAction : undefined
      return concat([...(action ? [encodeDeferredAction(action)] : []), ...entity.hookData.map(toSegment), last, typed])
    }
  }
}

/** Options byte of an ERC-1271 signature. Clients set no options, not even for the owner. */
const validationOptions = '0x00'
/** Index of the last signature segment, which the validation function itself verifies. */
const last = '0xff'

const toSegment = ({ index, data }: HookData): Hex =>
  concat([numberToHex(index, { size: 1 }), numberToHex(size(data), { size: 4 }), data])

/** Returns a function that wraps hashes in the EIP-712 struct of an account or module (ERC-1271). */
function wrapHash(mode: ModularAccountV2Mode, entityId: number, isPasskey: boolean): WrapHash {
  // In these modes, entity 0 is the owner in the account's own code, without a module.
  const isOwnCode = (mode === 'default' || mode === '7702') && entityId === 0
  return ({ hash, address, chainId }) => ({
    domain: isOwnCode
      ? { chainId, verifyingContract: address }
      : {
          chainId,
          verifyingContract: isPasskey ? modularAccountV2Modules.webauthn : modularAccountV2Modules.singleSigner,
          salt: padHex(address, { size: 32 }),
        },
    types: { ReplaySafeHash: [{ name: 'hash', type: 'bytes32' }] },
    primaryType: 'ReplaySafeHash',
    message: { hash },
  })
}

/** Checks for a deferred action of this account, which the account verifies without a wrapper. */
function isDeferredAction({ primaryType, domain }: TypedDataDefinition, account: Address): boolean {
  const { verifyingContract } = domain ?? {}
  if (primaryType !== 'DeferredAction' || typeof verifyingContract !== 'string') return false
  return isAddress(verifyingContract, { strict: false }) && isAddressEqual(verifyingContract, account)
}

const factoryAbi = /* @__PURE__ */ parseAbi([
  'function createSemiModularAccount(address owner, uint256 salt) returns (address)',
  'function createAccount(address owner, uint256 salt, uint32 entityId) returns (address)',
  'function createWebAuthnAccount(uint256 ownerX, uint256 ownerY, uint256 salt, uint32 entityId) returns (address)',
])

type Origin = Pick<modularAccountV2Contract.Parameters, 'mode' | 'creationEntityId' | 'passkey'>

function encodeCreate({ owners: [owner], salt }: Creation, { mode, creationEntityId, passkey }: Origin): Hex {
  const abi = factoryAbi
  if (passkey && mode === 'webauthn') {
    const args = [passkey.x, passkey.y, salt, creationEntityId] as const
    return encodeFunctionData({ abi, functionName: 'createWebAuthnAccount', args })
  }
  return mode === 'default'
    ? encodeFunctionData({ abi, functionName: 'createSemiModularAccount', args: [owner, salt] })
    : encodeFunctionData({ abi, functionName: 'createAccount', args: [owner, salt, creationEntityId] })
}

function hashSalt({ owners: [owner], salt }: Creation, { mode, creationEntityId, passkey }: Origin): Hex {
  if (passkey && mode === 'webauthn') {
    const values = [passkey.x, passkey.y, salt, creationEntityId] as const
    return keccak256(encodePacked(['uint256', 'uint256', 'uint256', 'uint32'], values))
  }
  // In the default mode, the factory's salt contains an entity id that no account uses.
  const entityId = mode === 'default' ? 0xffffffff : creationEntityId
  return keccak256(encodePacked(['address', 'uint256', 'uint32'], [owner, salt, entityId]))
}

/** Returns the creation code of the minimal ERC-1967 proxy. In the default mode, the owner's address is appended. */
function getProxyCode(
  { owners: [owner], implementation }: Creation & AccountContracts,
  mode: ModularAccountV2Mode,
): Hex {
  const tail =
    '0x60095155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3'
  return mode === 'default'
    ? concat(['0x6100513d8160233d3973', implementation, tail, owner])
    : concat(['0x603d3d8160223d3973', implementation, tail])
}
