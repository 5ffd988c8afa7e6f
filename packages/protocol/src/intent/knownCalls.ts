import { type AbiValue, decodeArguments } from './decodeArguments.ts'
import { type IntentAct, toApprovedAmount } from './intent.ts'
import type { Call } from './readCalls.ts'
import { readGrant, readNewOwner } from './readGrant.ts'

/** A function with a known effect. `signature`: name and parameter types, whose hash determines the selector. */
type KnownFunction = { signature: string; describe(args: readonly AbiValue[], to: string): Described }

type Described = Omit<IntentAct, 'to' | 'value' | 'selector'>

const hex = (value: AbiValue | undefined) => (typeof value === 'string' ? value : '')
const uint = (value: AbiValue | undefined) => (typeof value === 'bigint' ? value : 0n)
const hexList = (value: AbiValue | undefined) => (Array.isArray(value) ? value.map(hex) : [])
const address = (value: AbiValue | undefined) => hex(value).slice(0, 42)

const addsOwner = (owner: AbiValue | undefined): Described => ({ kind: 'owner-change', ownersAdded: [address(owner)] })
const changesModule = (module: AbiValue | undefined): Described => ({ kind: 'module-change', module: address(module) })
const changesOwnModule = (_: unknown, to: string): Described => ({ kind: 'module-change', module: to })
const changesSessionKey = (): Described => ({ kind: 'session-key' })
const upgrades = ([implementation]: readonly AbiValue[]): Described => ({
  kind: 'upgrade',
  implementation: address(implementation),
})
const approves = (token: string, spender: AbiValue | undefined, amount: bigint): Described => ({
  kind: 'approval',
  token,
  spender: address(spender),
  ...toApprovedAmount(amount),
})
const moves = (token: string, from: AbiValue | undefined, to: AbiValue | undefined, amount: bigint): Described => ({
  kind: 'token-transfer',
  token,
  ...(from !== undefined && { from: address(from) }),
  recipient: address(to),
  amount: String(amount),
})

/** Parameter type of Modular Account v2's allowlists. */
const allowlist = '(address,bool,bool,uint256,bytes4[])[]'
const executionManifest = '((bytes4,bool,bool)[],(bytes4,uint32,bool,bool)[],bytes4[])'

/**
 * Functions by selector. The effect applies to any called contract, since the contract may be another account of the
 * signer, or one of its modules.
 */
const knownFunctions: Readonly<Record<string, KnownFunction>> = {
  '0xf2fde38b': { signature: 'transferOwnership(address)', describe: ([owner]) => addsOwner(owner) },
  '0x715018a6': { signature: 'renounceOwnership()', describe: () => ({ kind: 'owner-change' }) },
  '0x39562247': {
    signature: 'updateOwners(address[],address[])',
    describe: ([added, removed]) => ({
      kind: 'owner-change',
      ownersAdded: hexList(added),
      ownersRemoved: hexList(removed),
    }),
  },
  '0x7065cb48': { signature: 'addOwner(address)', describe: ([owner]) => addsOwner(owner) },
  '0x0f0f3f24': { signature: 'addOwnerAddress(address)', describe: ([owner]) => addsOwner(owner) },
  '0x173825d9': {
    signature: 'removeOwner(address)',
    describe: ([owner]) => ({ kind: 'owner-change', ownersRemoved: [address(owner)] }),
  },
  '0x30009d52': {
    signature: 'updateFallbackSignerData(address,bool)',
    describe: ([owner, isDisabled]) => (isDisabled ? { kind: 'owner-change' } : addsOwner(owner)),
  },
  '0x4aeb3b03': { signature: 'transferSigner(uint32,address)', describe: ([, owner]) => addsOwner(owner) },
  '0xa6910bf5': { signature: 'transferSigner(uint32,uint256,uint256)', describe: () => ({ kind: 'owner-change' }) },

  '0x3659cfe6': { signature: 'upgradeTo(address)', describe: upgrades },
  '0x4f1ef286': { signature: 'upgradeToAndCall(address,bytes)', describe: upgrades },

  '0xc5f0e8d1': {
    signature: 'installPlugin(address,bytes32,bytes,bytes21[])',
    describe: ([plugin]) => changesModule(plugin),
  },
  '0xc1a221f3': { signature: 'uninstallPlugin(address,bytes,bytes)', describe: ([plugin]) => changesModule(plugin) },
  '0x1bbf564c': {
    signature: 'installValidation(bytes25,bytes4[],bytes,bytes[])',
    describe: (args, to) => {
      const grant = readGrant(to, args)
      const owner = grant ? undefined : readNewOwner(args)
      if (!owner) return { ...changesModule(args[0]), ...(grant && { grant }) }
      const added = 'key' in owner ? { ownersAdded: [owner.key] } : { passkeysAdded: [owner.passkey] }
      return { ...changesModule(args[0]), kind: 'owner-change', ...added }
    },
  },
  '0xb6b1ccfe': {
    signature: 'uninstallValidation(bytes24,bytes,bytes[])',
    describe: ([validation]) => changesModule(validation),
  },
  '0x001a63e9': {
    signature: `installExecution(address,${executionManifest},bytes)`,
    describe: ([module]) => changesModule(module),
  },
  '0x93b1dc61': {
    signature: `uninstallExecution(address,${executionManifest},bytes)`,
    describe: ([module]) => changesModule(module),
  },
  '0x6d61fe70': { signature: 'onInstall(bytes)', describe: changesOwnModule },
  '0x8a91b0e3': { signature: 'onUninstall(bytes)', describe: changesOwnModule },

  '0x798053f1': { signature: `updateAllowlist(uint32,${allowlist})`, describe: changesOwnModule },
  '0xc67151f6': { signature: `deleteAllowlist(uint32,${allowlist})`, describe: changesOwnModule },
  '0x77a04242': { signature: 'setAddressAllowlist(uint32,address,bool,bool,bool)', describe: changesOwnModule },
  '0xe1ded0b0': { signature: 'setSelectorAllowlist(uint32,address,bytes4,bool)', describe: changesOwnModule },
  '0x4380c278': { signature: 'updateLimits(uint32,address,bool,uint256)', describe: changesOwnModule },
  '0x71280be3': { signature: 'updateLimits(uint32,uint256)', describe: changesOwnModule },
  '0x5c6e5169': { signature: 'updateSpecialPaymaster(address,bool)', describe: changesOwnModule },
  '0xe762c77c': { signature: 'setTimeRange(uint32,uint48,uint48)', describe: changesOwnModule },
  '0x5998db5c': { signature: 'performCreate(uint256,bytes,bool,bytes32)', describe: () => ({ kind: 'deploy' }) },

  '0x9aa74d23': { signature: 'addSessionKey(address,bytes32,bytes[])', describe: changesSessionKey },
  '0x64b2bd25': { signature: 'removeSessionKey(address,bytes32)', describe: changesSessionKey },
  '0x85cb6e95': { signature: 'rotateSessionKey(address,bytes32,address)', describe: changesSessionKey },
  '0xbb319893': { signature: 'updateKeyPermissions(address,bytes[])', describe: changesSessionKey },

  '0xa9059cbb': {
    signature: 'transfer(address,uint256)',
    describe: ([to, amount], token) => moves(token, undefined, to, uint(amount)),
  },
  '0x23b872dd': {
    signature: 'transferFrom(address,address,uint256)',
    describe: ([from, to, amount], token) => moves(token, from, to, uint(amount)),
  },
  '0x42842e0e': {
    signature: 'safeTransferFrom(address,address,uint256)',
    describe: ([from, to], token) => moves(token, from, to, 1n),
  },
  '0xb88d4fde': {
    signature: 'safeTransferFrom(address,address,uint256,bytes)',
    describe: ([from, to], token) => moves(token, from, to, 1n),
  },
  '0xf242432a': {
    signature: 'safeTransferFrom(address,address,uint256,uint256,bytes)',
    describe: ([from, to, , amount], token) => moves(token, from, to, uint(amount)),
  },
  '0x2eb2c2d6': {
    signature: 'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
    describe: ([from, to, , amounts], token) =>
      moves(
        token,
        from,
        to,
        (Array.isArray(amounts) ? amounts : []).reduce((sum: bigint, one) => sum + uint(one), 0n),
      ),
  },
  '0x095ea7b3': {
    signature: 'approve(address,uint256)',
    describe: ([spender, amount], token) => approves(token, spender, uint(amount)),
  },
  '0x39509351': {
    signature: 'increaseAllowance(address,uint256)',
    describe: ([spender, amount], token) => approves(token, spender, uint(amount)),
  },
  '0xd505accf': {
    signature: 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
    describe: ([, spender, amount], token) => approves(token, spender, uint(amount)),
  },
  '0x87517c45': {
    signature: 'approve(address,address,uint160,uint48)',
    describe: ([token, spender, amount]) => approves(address(token), spender, uint(amount)),
  },
  '0xa22cb465': {
    signature: 'setApprovalForAll(address,bool)',
    describe: ([spender, approved], token) => ({
      kind: 'approval',
      token,
      spender: address(spender),
      ...(approved === true ? { isUnlimited: true } : { amount: '0' }),
    }),
  },
  '0x4d44560d': {
    signature: 'withdrawDepositTo(address,uint256)',
    describe: ([to, amount]) => ({ kind: 'transfer', recipient: address(to), amount: String(uint(amount)) }),
  },
  '0x205c2878': {
    signature: 'withdrawTo(address,uint256)',
    describe: ([to, amount]) => ({ kind: 'transfer', recipient: address(to), amount: String(uint(amount)) }),
  },
}

/** Functions of an account that it may call on itself without an effect beyond `value`. */
const harmlessToItself: readonly string[] = ['0x4a58db19']

/**
 * Describes a call of another contract by its selector. An unknown function is a `call`. Returns undefined if the
 * arguments are not in canonical form.
 */
export function describeCall({ to, value, data }: Call): IntentAct | undefined {
  const base = { to, value: String(value) }
  if (data === '0x') return { kind: 'transfer', ...base }
  const selector = data.slice(0, 10)
  const known = findFunction(selector)
  if (!known) return { kind: 'call', ...base, selector }
  const args = decodeArguments(known.signature.slice(known.signature.indexOf('(')), data.slice(10))
  return args && { ...known.describe(args, to), ...base, selector }
}

/**
 * Describes a call of an account to itself, without the calls that it makes in turn. Returns undefined if the function
 * is unknown.
 */
export function describeOwnCall(call: Call): IntentAct | undefined {
  const selector = call.data.slice(0, 10)
  const isKnown = call.data === '0x' || harmlessToItself.includes(selector) || findFunction(selector)
  return isKnown ? describeCall(call) : undefined
}

const findFunction = (selector: string) =>
  Object.hasOwn(knownFunctions, selector) ? knownFunctions[selector] : undefined

/** Returns the selectors with their signatures. A test compares the two. */
export const listKnownFunctions = (): readonly (readonly [selector: string, signature: string])[] =>
  Object.entries(knownFunctions).map(([selector, { signature }]) => [selector, signature])
