type Hex = `0x${string}`

/** Permission of a Modular Account v2 session key, named as in the wallet APIs. Amounts are hex quantities. */
export type Permission =
  /** Total native currency that the key may spend. */
  | { type: 'native-token-transfer'; data: { allowance: Hex } }
  /** Total amount of a token that the key may transfer or approve. */
  | { type: 'erc20-token-transfer'; data: { address: Hex; allowance: Hex } }
  /** Total gas cost, in wei, that the account pays for the key's operations. */
  | { type: 'gas-limit'; data: { limit: Hex } }
  | { type: 'contract-access'; data: { address: Hex } }
  | { type: 'account-functions'; data: { functions: readonly Hex[] } }
  | { type: 'functions-on-all-contracts'; data: { functions: readonly Hex[] } }
  | { type: 'functions-on-contract'; data: { address: Hex; functions: readonly Hex[] } }
  /** Everything the owner may do. */
  | { type: 'root' }

/** Hook of a planned validation. `types` and `values` are the ABI parameters that its module is installed with. */
export type PlannedHook = {
  module: Hex
  entityId: number
  hookType: 'Validation' | 'Execution'
  /** False only for the expiry hook, as in the published client. Has no effect on validation hooks. */
  hasPreHooks: boolean
  types: string
  values: readonly unknown[]
}

export type PermissionPlan = {
  isGlobal: boolean
  selectors: readonly Hex[]
  hooks: readonly PlannedHook[]
  /** Whether the key's call data begins with `executeUserOp`. */
  hasExecutionHooks: boolean
}

/** Modules of Modular Account v2, at the same addresses on every chain that has them. */
export const modularAccountV2Modules = {
  singleSigner: '0x00000000000099DE0BF6fA90dEB851E2A2df7d83',
  webauthn: '0x0000000000001D9d34E07D9834274dF9ae575217',
  allowlist: '0x00000000003e826473a313e600b5b9b791f5a59a',
  nativeTokenLimit: '0x00000000000001e541f0D090868FBe24b59Fbe06',
  paymasterGuard: '0x0000000000001aA7A7F7E29abe0be06c72FD42A1',
  timeRange: '0x00000000000082B8e2012be914dFA4f62A0573eA',
} as const

export const executeSelectors: readonly Hex[] = ['0xb61d27f6', '0x34fcd5be']
export const tokenSelectors: readonly Hex[] = ['0x095ea7b3', '0xa9059cbb']

/**
 * Functions of the account itself that change it or act for it. A key with one of them could make itself the owner, or
 * act beyond its other permissions.
 */
const accountSelectors: readonly Hex[] = [
  ...executeSelectors,
  '0x8dd7712f', // executeUserOp
  '0xf2680c0f', // executeWithRuntimeValidation
  '0x5998db5c', // performCreate
  '0x1bbf564c', // installValidation
  '0xb6b1ccfe', // uninstallValidation
  '0x001a63e9', // installExecution
  '0x93b1dc61', // uninstallExecution
  '0xe919a623', // initializeWithValidation
  '0xc4d66de8', // initialize
  '0x30009d52', // updateFallbackSignerData
  '0x4f1ef286', // upgradeToAndCall
  '0x19822f7c', // validateUserOp
]

/**
 * Functions of modules and of the entry point with which a key could remove its own limits, or withdraw the account's
 * deposit.
 */
const moduleSelectors: readonly Hex[] = [
  '0x6d61fe70', // onInstall
  '0x8a91b0e3', // onUninstall
  '0x4aeb3b03', // transferSigner(uint32,address)
  '0xa6910bf5', // transferSigner(uint32,uint256,uint256)
  '0xc67151f6', // deleteAllowlist
  '0x77a04242', // setAddressAllowlist
  '0xe1ded0b0', // setSelectorAllowlist
  '0x798053f1', // updateAllowlist
  '0x4380c278', // updateLimits of tokens
  '0x71280be3', // updateLimits of native currency
  '0x5c6e5169', // updateSpecialPaymaster
  '0xe762c77c', // setTimeRange
  '0xed6dfb13', // preExecutionHook, which counts what is spent
  '0x2a3d428c', // preUserOpValidationHook
  '0x205c2878', // withdrawTo of the entry point
  '0xc23a5cea', // withdrawStake
]

const entryPoint07 = '0x0000000071727de22e5e9d8baf0edac6f37da032'
export const zeroAddress = '0x0000000000000000000000000000000000000000'
/** Offset between the entity ids of two hooks that belong to one permission. */
const secondHookOffset = 2_147_483_647
const maxPermissions = 100

export declare namespace planPermissions {
  type Parameters = {
    account: string
    entityId: number
    permissions: readonly Permission[]
    /** Seconds since the epoch; 0: the key never expires. */
    expirySec: number
  }
  type ReturnType = PermissionPlan | { refused: string }
}

/** Allowed functions by target, in lower case; undefined: every function. The zero address matches every target. */
type Allowlist = Map<string, Set<Hex> | undefined>

/**
 * Plans the validation that grants permissions to a key of a Modular Account v2. Returns the reason instead if the list
 * is empty, contradictory, or would let the key change the account or its own limits.
 *
 * @example
 * ```ts
 * import { planPermissions } from 'latchkey-protocol'
 *
 * const account = '0x7A546bF84e0b86374B2A765F2c294548363D279a'
 * const address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
 * const permissions = [{ type: 'erc20-token-transfer', data: { address, allowance: '0x64' } }] as const
 * const plan = planPermissions({ account, entityId: 1, permissions, expirySec: 0 })
 * console.log('refused' in plan ? plan.refused : plan.selectors)
 * ```
 */
export function planPermissions(parameters: planPermissions.Parameters): planPermissions.ReturnType {
  const { account, entityId, permissions, expirySec } = parameters
  const refused = findRefusal(parameters)
  if (refused !== undefined) return { refused }
  const isRoot = permissions.some(({ type }) => type === 'root')
  const allowlist = toAllowlist(permissions)
  const functions = permissions.flatMap((each) => (each.type === 'account-functions' ? each.data.functions : []))
  const selectors = [...new Set([...(allowlist.size > 0 ? executeSelectors : []), ...functions.map(toLower)])]
  if (!isRoot && selectors.length === 0) {
    return {
      refused:
        'The permissions allow no call. Add the contracts that the key may call: contract-access, functions-on-contract or erc20-token-transfer.',
    }
  }
  const denied = findDeniedTarget(allowlist, account)
  if (denied !== undefined) return { refused: denied }
  const hooks = [...toAllowHooks(permissions, allowlist, entityId), ...toLimitHooks(permissions, entityId)]
  if (expirySec > 0) {
    const { timeRange } = modularAccountV2Modules
    const hook = toHook('Validation', timeRange, entityId, 'uint32,uint48,uint48', [expirySec, 0])
    hooks.push({ ...hook, hasPreHooks: false })
  }
  return {
    isGlobal: isRoot,
    selectors,
    hooks,
    hasExecutionHooks: hooks.some(({ hookType }) => hookType === 'Execution'),
  }
}

const toLower = (hex: Hex) => hex.toLowerCase() as Hex

function findRefusal({ entityId, permissions, expirySec }: planPermissions.Parameters): string | undefined {
  if (!Number.isInteger(entityId) || entityId < 1 || entityId >= secondHookOffset)
    return `The entity id is not a whole number from 1 to ${secondHookOffset - 1}.`
  if (!Number.isInteger(expirySec) || expirySec < 0 || expirySec > 9_999_999_999)
    return 'The expiry is not a time in seconds.'
  if (permissions.length === 0) return 'Name at least one permission.'
  if (permissions.length > maxPermissions) return `Name at most ${maxPermissions} permissions.`
  const count = (type: Permission['type']) => permissions.filter((each) => each.type === type).length
  if (count('root') > 0 && permissions.length > 1) return 'root allows everything: name no other permission beside it.'
  for (const type of ['native-token-transfer', 'gas-limit'] as const) if (count(type) > 1) return `Name ${type} once.`
  const tokens = permissions.flatMap((each) =>
    each.type === 'erc20-token-transfer' ? [each.data.address.toLowerCase()] : [],
  )
  if (new Set(tokens).size < tokens.length) return 'Name erc20-token-transfer once per token.'
  return permissions.map(findWrongMember).find((found) => found !== undefined)
}

function findWrongMember(permission: Permission): string | undefined {
  if (permission.type === 'root') return undefined
  const { type, data } = permission
  if ('address' in data && (!/^0x[0-9a-f]{40}$/i.test(data.address) || data.address === zeroAddress))
    return `The address of ${type} is none.`
  const amount = 'allowance' in data ? data.allowance : 'limit' in data ? data.limit : undefined
  if (amount !== undefined && !(/^0x[0-9a-f]{1,64}$/i.test(amount) && BigInt(amount) > 0n))
    return `The amount of ${type} is not a quantity above 0.`
  if (!('functions' in data)) return undefined
  if (data.functions.length === 0 || data.functions.length > maxPermissions)
    return `Name 1 to ${maxPermissions} functions in ${type}.`
  const wrong = data.functions.find((selector) => !/^0x[0-9a-f]{8}$/i.test(selector))
  if (wrong !== undefined) return `A function of ${type} is not a selector of 4 bytes.`
  return findDeniedFunction(type, data.functions.map(toLower))
}

function findDeniedFunction(type: Permission['type'], functions: readonly Hex[]): string | undefined {
  if (type === 'functions-on-contract') return undefined
  const tables = type === 'account-functions' ? [accountSelectors] : [accountSelectors, moduleSelectors]
  const denied = functions.find((selector) => tables.some((table) => table.includes(selector)))
  if (denied === undefined) return undefined
  return `The function ${denied} in ${type} would let the key change the account or its own limits.`
}

function findDeniedTarget(allowlist: Allowlist, account: string): string | undefined {
  const own = [account, entryPoint07, ...Object.values(modularAccountV2Modules)].map((each) => each.toLowerCase())
  const denied = [...allowlist.keys()].find((target) => own.includes(target))
  if (denied === undefined) return undefined
  return `The key must not call ${denied}: it is the account, one of its modules or the entry point.`
}

function toAllowlist(permissions: readonly Permission[]): Allowlist {
  const allowlist: Allowlist = new Map()
  const allow = (target: string, functions: readonly Hex[] | undefined) => {
    const key = target.toLowerCase()
    const known = allowlist.get(key)
    const isWhole = functions === undefined || (allowlist.has(key) && known === undefined)
    allowlist.set(key, isWhole ? undefined : new Set([...(known ?? []), ...functions.map(toLower)]))
  }
  for (const permission of permissions) {
    if (permission.type === 'erc20-token-transfer') allow(permission.data.address, tokenSelectors)
    if (permission.type === 'contract-access') allow(permission.data.address, undefined)
    if (permission.type === 'functions-on-contract') allow(permission.data.address, permission.data.functions)
    if (permission.type === 'functions-on-all-contracts') allow(zeroAddress, permission.data.functions)
  }
  return allowlist
}

const allowlistTypes = 'uint32,(address,bool,bool,uint256,bytes4[])[]'

function toAllowHooks(permissions: readonly Permission[], allowlist: Allowlist, entityId: number): PlannedHook[] {
  const { allowlist: module } = modularAccountV2Modules
  const limits = permissions.flatMap((each) =>
    each.type === 'erc20-token-transfer' ? [[each.data.address, false, true, BigInt(each.data.allowance), []]] : [],
  )
  const targets = [...allowlist].map(([target, functions]) => [
    target,
    // `hasSelectorAllowlist`. Ignored for the zero address, whose functions are allowed on every target.
    functions !== undefined && target !== zeroAddress,
    false,
    0n,
    [...(functions ?? [])],
  ])
  return [
    ...(targets.length > 0 ? [toHook('Validation', module, entityId, allowlistTypes, [targets])] : []),
    ...(limits.length > 0 ? [toHook('Execution', module, entityId + secondHookOffset, allowlistTypes, [limits])] : []),
  ]
}

function toLimitHooks(permissions: readonly Permission[], entityId: number): PlannedHook[] {
  const { nativeTokenLimit: module } = modularAccountV2Modules
  return permissions.flatMap((each) => {
    if (each.type === 'native-token-transfer')
      return [toHook('Execution', module, entityId, 'uint32,uint256', [BigInt(each.data.allowance)])]
    if (each.type === 'gas-limit')
      return [toHook('Validation', module, entityId + secondHookOffset, 'uint32,uint256', [BigInt(each.data.limit)])]
    return []
  })
}

function toHook(
  hookType: PlannedHook['hookType'],
  module: Hex,
  entityId: number,
  types: string,
  values: readonly unknown[],
): PlannedHook {
  return { hookType, hasPreHooks: true, module, entityId, types, values: [entityId, ...values] }
}
