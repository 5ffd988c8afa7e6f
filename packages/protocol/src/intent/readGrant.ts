import {
  executeSelectors,
  modularAccountV2Modules,
  type Permission,
  type PlannedHook,
  planPermissions,
  tokenSelectors,
  zeroAddress,
} from '../permissions.ts'
import { type AbiValue, decodeArguments, type Hex } from './decodeArguments.ts'

/** Key that a Modular Account v2 lets act within permissions, as `installValidation` installs it. */
export type Grant = {
  /** Address of the key, in lower case. */
  key: string
  entityId: number
  /** Addresses and functions in lower case. */
  permissions: readonly Permission[]
  /** Seconds since the epoch; 0: the key never expires. */
  expirySec: number
}

type Hook = Pick<PlannedHook, 'module' | 'entityId' | 'hookType' | 'values'>
type InstalledHook = Hook & { values: readonly AbiValue[] }

/**
 * Reads the permissions that the arguments of `installValidation` grant to a key. This is the inverse of
 * `planPermissions`: returns undefined unless the plan of these permissions equals the installation, apart from the
 * order of lists.
 */
export function readGrant(account: string, args: readonly AbiValue[]): Grant | undefined {
  const [config, selectors, installData, hooks] = args
  const { module, entityId = 0, flags = 0 } = readEntity(toHex(config)) ?? {}
  const [id, key] = decodeArguments('(uint32,address)', toHex(installData).slice(2)) ?? []
  const isGlobal = flags === 5
  if (!isSame(module, modularAccountV2Modules.singleSigner) || !(flags === 1 || isGlobal)) return undefined
  if (id !== BigInt(entityId)) return undefined
  const installed = toList(hooks).map((hook) => readHook(toHex(hook)))
  if (!installed.every((hook) => hook !== undefined)) return undefined
  const allowed = toList(selectors).map(toHex)
  const permissions = toPermissions(isGlobal, allowed, installed)
  const expirySec = Number(findHook(installed, 'timeRange')?.values[1] ?? 0)
  const plan = planPermissions({ account, entityId, permissions, expirySec })
  if ('refused' in plan) return undefined
  const isPlanned = toText(plan.selectors, plan.hooks) === toText(allowed, installed)
  return isPlanned ? { key: toHex(key), entityId, permissions, expirySec } : undefined
}

/**
 * Reads the owner that the arguments of `installValidation` add: a key or a passkey without any limit. Returns undefined
 * for any other validation.
 */
export function readNewOwner(args: readonly AbiValue[]): { key: string } | { passkey: string } | undefined {
  const [config, selectors, installData, hooks] = args
  const { module, entityId, flags } = readEntity(toHex(config)) ?? {}
  if (flags !== 7 || toList(selectors).length + toList(hooks).length > 0) return undefined
  const data = toHex(installData).slice(2)
  if (isSame(module, modularAccountV2Modules.singleSigner)) {
    const [id, key] = decodeArguments('(uint32,address)', data) ?? []
    return id === BigInt(entityId ?? 0) ? { key: toHex(key) } : undefined
  }
  if (!isSame(module, modularAccountV2Modules.webauthn)) return undefined
  const [id, x, y] = decodeArguments('(uint32,uint256,uint256)', data) ?? []
  const coordinates = [x, y].map((value) =>
    BigInt(String(value ?? 0))
      .toString(16)
      .padStart(64, '0'),
  )
  return id === BigInt(entityId ?? 0) ? { passkey: `0x${coordinates.join('')}` } : undefined
}

const toHex = (value: AbiValue | undefined): Hex => (typeof value === 'string' ? value : '0x')
const toList = (value: unknown): readonly AbiValue[] => (Array.isArray(value) ? value : [])
const isSame = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase()

function readEntity(data: Hex) {
  const [, module, id, flags, rest = ''] = /^0x(.{40})(.{8})(..)(.*)$/.exec(data) ?? []
  if (module === undefined) return undefined
  return { module: `0x${module}` as const, entityId: Number(`0x${id}`), flags: Number(`0x${flags}`), rest }
}

const allowlistTypes = '(uint32,(address,bool,bool,uint256,bytes4[])[])'

/** Parameters that the modules of hooks are installed with. */
const hookTypes: readonly (readonly [module: string, types: string])[] = [
  [modularAccountV2Modules.allowlist, allowlistTypes],
  [modularAccountV2Modules.nativeTokenLimit, '(uint32,uint256)'],
  [modularAccountV2Modules.timeRange, '(uint32,uint48,uint48)'],
]

function readHook(data: Hex): InstalledHook | undefined {
  const entity = readEntity(data)
  if (!entity) return undefined
  const { module, entityId, flags, rest } = entity
  const [, types] = hookTypes.find(([known]) => isSame(known, module)) ?? []
  const values = types === undefined ? undefined : decodeArguments(types, rest)
  // The flags for before and after a call have no effect on a validation hook.
  const hookType = (flags & ~6) === 1 ? 'Validation' : flags === 4 ? 'Execution' : undefined
  return values && hookType && { module, entityId, hookType, values }
}

function findHook(
  hooks: readonly InstalledHook[],
  module: keyof typeof modularAccountV2Modules,
  hookType: PlannedHook['hookType'] = 'Validation',
): InstalledHook | undefined {
  return hooks.find((hook) => hook.hookType === hookType && isSame(hook.module, modularAccountV2Modules[module]))
}

/** Returns the probable permissions of a validation. The caller compares their plan with the validation. */
function toPermissions(isGlobal: boolean, selectors: readonly Hex[], hooks: readonly InstalledHook[]): Permission[] {
  const targets = toList(findHook(hooks, 'allowlist')?.values[1]).map(toList)
  const limits = new Map(
    toList(findHook(hooks, 'allowlist', 'Execution')?.values[1]).map((limit) => {
      const [token, , , amount] = toList(limit)
      return [toHex(token), amount]
    }),
  )
  const own = selectors.filter((selector) => targets.length === 0 || !executeSelectors.includes(selector))
  const native = findHook(hooks, 'nativeTokenLimit', 'Execution')?.values[1]
  const gas = findHook(hooks, 'nativeTokenLimit')?.values[1]
  return [
    ...(isGlobal ? [{ type: 'root' } as const] : []),
    ...targets.flatMap(([target, hasSelectors, , , functions]) =>
      toTargetPermissions(toHex(target), {
        isWhole: hasSelectors === false,
        functions: toList(functions).map(toHex),
        limit: limits.get(toHex(target)),
      }),
    ),
    ...(own.length > 0 ? [{ type: 'account-functions', data: { functions: own } } as const] : []),
    ...(native === undefined
      ? []
      : [{ type: 'native-token-transfer', data: { allowance: toQuantity(native) } } as const]),
    ...(gas === undefined ? [] : [{ type: 'gas-limit', data: { limit: toQuantity(gas) } } as const]),
  ]
}

const toQuantity = (value: AbiValue): Hex => `0x${(typeof value === 'bigint' ? value : 0n).toString(16)}`

/**
 * Returns the permissions for one target. `limit`: amount of a token. The token's own functions then need no other
 * permission.
 */
function toTargetPermissions(
  address: Hex,
  { isWhole, functions, limit }: { isWhole: boolean; functions: readonly Hex[]; limit: AbiValue | undefined },
): Permission[] {
  if (address === zeroAddress) return [{ type: 'functions-on-all-contracts', data: { functions } }]
  const others = limit === undefined ? functions : functions.filter((selector) => !tokenSelectors.includes(selector))
  const found: Permission[] = []
  if (limit !== undefined) found.push({ type: 'erc20-token-transfer', data: { address, allowance: toQuantity(limit) } })
  if (isWhole) found.push({ type: 'contract-access', data: { address } })
  else if (others.length > 0) found.push({ type: 'functions-on-contract', data: { address, functions: others } })
  return found
}

/** Returns a text that does not depend on the order of functions, hooks and targets. */
function toText(selectors: readonly Hex[], hooks: readonly Hook[]): string {
  const toHookText = ({ module, entityId, hookType, values }: Hook) => {
    const [id, second, ...rest] = values
    const inputs = Array.isArray(second) ? second.map((input) => toInputText(toList(input))).sort() : second
    return [module, entityId, hookType, id, inputs, ...rest].join(' ').toLowerCase()
  }
  return [[...selectors].sort(), ...hooks.map(toHookText).sort()].join('\n')
}

function toInputText([target, hasSelectors, hasLimit, limit, functions]: readonly AbiValue[]): string {
  return [target, hasSelectors, hasLimit, limit, [...toList(functions)].sort()].join(':').toLowerCase()
}
