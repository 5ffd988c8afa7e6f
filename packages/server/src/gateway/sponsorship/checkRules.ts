import { accountFactories, type FactoryType, readCalls } from 'latchkey-protocol'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  keccak256,
  padHex,
  parseAbi,
  size,
  slice,
  zeroAddress,
} from 'viem'
import { max } from '../../platform/bigints.ts'
import type { Policy } from '../../store/ledger/policies.ts'
import type { PolicyRules } from '../../store/ledger/policyRules.ts'
import { multiply } from '../paymasters/gasValues.ts'
import type { Fees, GasFields } from '../paymasters/PaymasterScheme.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import type { RpcError } from '../rpc/RpcError.ts'
import { bytes, parseResult, quantity } from '../rpc/values.ts'
import { policyRefused } from './refusalErrors.ts'

export declare namespace checkRules {
  type Operation = { sender: Address; callData: Hex; factory: Address | undefined }
  type Parameters = {
    policy: Policy
    chainId: number
    operation: Operation
    /** Milliseconds since the epoch. */
    now: number
  }
}

/**
 * Checks the rules of a policy that need neither an estimate nor the chain; `checkSender` has those that read it.
 *
 * @throws `POLICY_REFUSED`, naming the rule.
 */
export function checkRules({ policy, chainId, operation, now }: checkRules.Parameters): void {
  const { paused, rules } = policy
  const { sender, factory } = operation
  if (paused) throw policyRefused('paused', 'it is paused. Its operator can resume it.')
  if (rules.chains && !rules.chains.includes(chainId)) throw policyRefused('chains', `chain ${chainId} is not listed.`)
  if (rules.validFrom && now < Date.parse(rules.validFrom))
    throw policyRefused('validFrom', `it begins at ${rules.validFrom}.`)
  if (rules.validUntil && now >= Date.parse(rules.validUntil))
    throw policyRefused('validUntil', `it ended at ${rules.validUntil}.`)
  if (rules.senders && !includes(rules.senders, sender))
    throw policyRefused('senders', `the sender ${sender} is not listed.`)
  if (factory && rules.factories && !includes(rules.factories, factory))
    throw policyRefused('factories', `the factory ${factory} is not listed.`)
  if (rules.targets) {
    if (factory && !Object.values(accountFactories).some((known) => isAddressEqual(known, factory)))
      throw unknownAccount('targets', `the factory ${factory} deploys none of them`)
    checkTargets(rules.targets, operation.callData)
  }
}

function checkTargets(targets: NonNullable<PolicyRules['targets']>, callData: Hex): void {
  const calls = readCalls(callData)
  if (!calls)
    throw policyRefused(
      'targets',
      'it names contracts that may be called, and the call data has no form that tells them. Use execute or executeBatch.',
    )
  for (const { to, data } of calls) {
    const listed = targets.filter(({ address }) => address === to)
    if (listed.length === 0) throw policyRefused('targets', `calls to ${to} are not listed.`, { target: to })
    const selector = data.slice(0, 10).toLowerCase()
    if (!listed.some(({ selectors }) => !selectors || selectors.some((one) => one === selector)))
      throw policyRefused('targets', `calls of ${selector} on ${to} are not listed.`, { target: to, selector })
  }
}

/** Account proxies by the hash of their runtime code, which is the same on public chains and the devnet. */
const proxyFactories: Readonly<Record<Hex, readonly FactoryType[]>> = {
  // OpenZeppelin's ERC1967Proxy, compiled by solc 0.8.21.
  '0xb26a7586edc0cc4bfd2e1ed67ec8f0eeb5673658683376175868e1e0d635a21d': [
    'LightAccountV1.0.1',
    'LightAccountV1.0.2',
    'LightAccountV1.1.0',
  ],
  // Solady's minimal ERC-1967 proxy.
  '0xaaa52c8cc8a0e3fd27ce756cc6b4e70c51423e9b597b11f32d3e49f8b1fc890d': [
    'LightAccountV2.0.0',
    'LightAccountV2.0.0-MultiOwner',
  ],
  // OpenZeppelin's ERC1967Proxy, compiled by solc 0.8.22.
  '0x49aea3a95a51b32d1e6fd229840c38521e3b4680b0a6c013494091be0e530b6c': ['MAv1.0.0-MultiOwner'],
}
/** Size of the largest of these, in bytes. */
const largestProxy = 231

/** Implementations in lower case. Each may be behind each proxy: upgrades keep the proxy. */
export const accountImplementations: Readonly<Record<FactoryType, Address>> = {
  'LightAccountV1.0.1': '0xc1b2fc4197c9187853243e6e4eb5a4af8879a1c0',
  'LightAccountV1.0.2': '0x5467b1947f47d0646704eb801e075e72aeae8113',
  'LightAccountV1.1.0': '0xae8c656ad28f2b59a196ab61815c16a0ae1c3cba',
  'LightAccountV2.0.0': '0x8e8e658e22b12ada97b402ff0b044d6a325013c7',
  'LightAccountV2.0.0-MultiOwner': '0xd2c27f9ee8e4355f71915ffd5568cb3433b6823d',
  'MAv1.0.0-MultiOwner': '0x0046000000000151008789797b54fdb500e2a61e',
}

/** Plugins of modular accounts, in lower case: MultiOwnerPlugin and SessionKeyPlugin. */
const accountPlugins: readonly Address[] = [
  '0xce0000007b008f50d762d155002600004cd6c647',
  '0x0000003e0000a96de4058e1e02a62faaecf23d8d',
]

const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

export declare namespace checkSender {
  type Parameters = {
    rules: Pick<PolicyRules, 'targets' | 'factories'>
    operation: checkRules.Operation
    node: Pick<Upstream, 'callAll'>
  }
}

/**
 * Checks the code of a deployed sender under a policy with `targets` or `factories`: other code than that of the known
 * accounts may ignore its call data. An owner who changes the code after the signature is not found: no check before the
 * inclusion could.
 *
 * @throws `POLICY_REFUSED`, naming the rule, and as `Upstream.callAll`.
 */
export async function checkSender({ rules, operation, node }: checkSender.Parameters): Promise<void> {
  const { targets, factories } = rules
  const { sender, factory, callData } = operation
  if ((!targets && !factories) || factory) return
  const rule = targets ? 'targets' : 'factories'
  const [code, slot] = await node.callAll([
    { method: 'eth_getCode', params: [sender, 'latest'] },
    { method: 'eth_getStorageAt', params: [sender, implementationSlot, 'latest'] },
  ])
  const found = parseResult(bytes, code, 'code') as Hex
  if (found === '0x') throw policyRefused(rule, `${sender} is not deployed, and the operation names no factory.`)
  const madeBy = size(found) <= largestProxy ? proxyFactories[keccak256(found)] : undefined
  if (!madeBy) throw unknownAccount(rule, `the code of ${sender} is that of none`)
  const value = padHex(parseResult(quantity, slot, 'a storage value') as Hex)
  const implementation = slice(value, 12).toLowerCase() as Address
  if (!Object.values(accountImplementations).includes(implementation))
    throw unknownAccount(rule, `${sender} has the implementation ${implementation}`)
  if (factories && !madeBy.some((type) => includes(factories, accountFactories[type])))
    throw policyRefused('factories', `no listed factory deploys accounts with the code of ${sender}.`)
  if (targets && implementation === accountImplementations['MAv1.0.0-MultiOwner'])
    await checkPlugins({ sender, callData, node })
}

/** `why` says what the account has instead. */
function unknownAccount(rule: 'targets' | 'factories', why: string): RpcError {
  return policyRefused(
    rule,
    `its ${rule} can only be checked for LightAccount, MultiOwnerLightAccount and MultiOwnerModularAccount, and ${why}. Use one of these accounts, or a policy without ${rule}.`,
  )
}

const loupeAbi = parseAbi([
  'function getInstalledPlugins() view returns (address[])',
  'function getExecutionFunctionConfig(bytes4 selector) view returns ((address plugin, bytes21 userOpValidationFunction, bytes21 runtimeValidationFunction))',
  'function getPreValidationHooks(bytes4 selector) view returns (bytes21[] preUserOpValidationHooks, bytes21[] preRuntimeValidationHooks)',
  'function getExecutionHooks(bytes4 selector) view returns ((bytes21 preExecHook, bytes21 postExecHook)[])',
])
const executeWithSessionKey = '0x31d99c2c'
/** Function through which the session key plugin makes its calls. */
const executeFromPluginExternal = '0x38997b11'
/** Gas that bounds the lists. */
const loupeGas = '0xf4240'

/**
 * Checks that only known plugins take part in an operation of a modular account (ERC-6900). The list of the installed
 * ones is not enough: code that the proxy had before may have stored hooks that are in no list.
 */
async function checkPlugins({
  sender,
  callData,
  node,
}: Pick<checkRules.Operation, 'sender' | 'callData'> & Pick<checkSender.Parameters, 'node'>): Promise<void> {
  const selector = slice(`${callData}00000000`, 0, 4).toLowerCase() as Hex
  const hooked: Hex[] = selector === executeWithSessionKey ? [selector, executeFromPluginExternal] : [selector]
  const abi = loupeAbi
  const ask = (data: Hex) => ({ method: 'eth_call', params: [{ to: sender, data, gas: loupeGas }, 'latest'] })
  const results = await node.callAll([
    ask(encodeFunctionData({ abi, functionName: 'getInstalledPlugins' })),
    ask(encodeFunctionData({ abi, functionName: 'getExecutionFunctionConfig', args: [selector] })),
    ask(encodeFunctionData({ abi, functionName: 'getPreValidationHooks', args: [selector] })),
    ...hooked.map((each) => ask(encodeFunctionData({ abi, functionName: 'getExecutionHooks', args: [each] }))),
  ])
  const unknown = listPlugins(
    sender,
    results.map((result) => parseResult(bytes, result, 'plugins') as Hex),
  ).find((plugin) => plugin !== zeroAddress && !includes(accountPlugins, plugin))
  if (!unknown) return
  throw policyRefused(
    'targets',
    `the plugin ${unknown} of the account ${sender} is not known and may make other calls. Uninstall it, or use a policy without targets.`,
    { plugin: unknown },
  )
}

/**
 * Returns the addresses in the account's own description of an operation: plugins, validation function and hooks. The
 * account implements its own functions; as the plugin of a hook it would pass the call on to any other.
 */
function listPlugins(
  sender: Address,
  [installed = '0x', config = '0x', validation = '0x', ...execution]: readonly Hex[],
): Address[] {
  const abi = loupeAbi
  const { plugin, userOpValidationFunction } = decodeFunctionResult({
    abi,
    functionName: 'getExecutionFunctionConfig',
    data: config,
  })
  const [userOpHooks] = decodeFunctionResult({ abi, functionName: 'getPreValidationHooks', data: validation })
  const hooks = execution.flatMap((data) => decodeFunctionResult({ abi, functionName: 'getExecutionHooks', data }))
  const references = [
    userOpValidationFunction,
    ...userOpHooks,
    ...hooks.flatMap(({ preExecHook, postExecHook }) => [preExecHook, postExecHook]),
  ]
  return [
    ...decodeFunctionResult({ abi, functionName: 'getInstalledPlugins', data: installed }),
    ...(isAddressEqual(plugin, sender) ? [] : [plugin]),
    ...references.map((reference) => slice(reference, 0, 20)),
  ]
}

const includes = (list: readonly Address[], address: Address) => list.includes(address.toLowerCase() as Address)

export declare namespace checkPrices {
  type Parameters = {
    /** Gas and fees that the paymaster's signature would cover. */
    gas: GasFields
    /** Returns the gateway's own values, from an estimate and current prices. */
    quote: (fees: Fees) => GasFields
    fees: Fees
    /** Tip in wei that passes even if the market's is lower; the market's highest fee includes it. */
    floor: bigint
    /** Highest tip in wei: {@link limitTip}. */
    highestTip: bigint
    rules: Pick<PolicyRules, 'factors' | 'limits'>
  }
}

/**
 * Refuses an operation with a gas or fee field above the gateway's own value times the policy's factor, or with more
 * gas than the policy pays for. Unused gas is not free, and tip and `preVerificationGas` are paid in full to the
 * bundler, which may be the caller: without this check the paymaster's deposit could be drained. Absolute values are
 * never lowered, since the account signs these fields.
 *
 * @throws `POLICY_REFUSED`, naming field and limit.
 */
export function checkPrices({ gas, quote, fees, floor, highestTip, rules }: checkPrices.Parameters): void {
  const market = quote({ baseFee: fees.baseFee, tip: fees.tip > floor ? fees.tip : floor })
  for (const [field, value] of Object.entries(gas).sort(byCause)) {
    const factor = readFactor(rules.factors, field)
    const isTip = field === 'maxPriorityFeePerGas'
    const limit = isTip ? highestTip : multiply(market[field] ?? 0n, factor)
    if (value <= limit) continue
    const of = isTip ? "the market's, or 10 percent more than a fee it replaces" : "the gateway's own value"
    throw policyRefused(
      `factors.${field}`,
      `${field} is ${value}, and it pays for at most ${limit} now: ${factor} times ${of}. Lower it, or leave it to the gateway.`,
      { field, value: String(value), limit: String(limit) },
    )
  }
  checkGas(gas, rules.limits.operation.gas)
}

function checkGas(fields: GasFields, limit: number): void {
  const gas = Object.entries(fields).reduce((sum, [field, value]) => sum + (isFee(field) ? 0n : value), 0n)
  if (gas <= BigInt(limit)) return
  throw policyRefused(
    'limits.operation.gas',
    `its gas limits sum up to ${gas}, and it pays for at most ${limit} in one operation. Split the calls into several operations.`,
    { value: String(gas), limit: String(limit) },
  )
}

const isFee = (field: string) => field === 'maxFeePerGas' || field === 'maxPriorityFeePerGas'

/** Sorts the tip first: the highest fee includes it. */
function byCause([a]: [string, bigint], [b]: [string, bigint]): number {
  return Number(a === 'maxFeePerGas') - Number(b === 'maxFeePerGas')
}

/** Returns a field's factor; without one it must not exceed the gateway's value. */
function readFactor(factors: Readonly<Record<string, number>>, field: string): number {
  return factors[field] ?? 1
}

/** Replacements of a nonce that may each raise its tip, and the factor of each. */
const maxRaises = 3
const raiseFactor = 1.1

/** Highest tip signed for a nonce in the last half hour. */
export type PriorTip = {
  wei: bigint
  /** Replacements in a row whose tip passed only because it raised the previous one. */
  raises: number
  /** Time at which the tip of the first of these was within the market's limit. */
  pricedAt: Date
}

export declare namespace limitTip {
  type Parameters = {
    /** Market's tip in wei. */
    market: bigint
    /** Factor of the market's tip that the policy allows. */
    factor: number
    /** Tip in wei that passes even if the market's is lower. */
    floor: bigint
    prior: PriorTip | undefined
  }
  type ReturnType = {
    /** Highest tip in wei. */
    highest: bigint
    /** Returns how the ledger stores an allowed tip. */
    toSigned(tip: bigint): { wei: bigint; raises: number; pricedAt: Date | undefined }
  }
}

/**
 * Returns the highest priority fee that the paymaster pays for one nonce. Whoever bundles an operation keeps its tip,
 * and the caller may do so: the tip is limited by the market, and each of three replacements may add 10 percent to the
 * tip that the ledger has signed before, even if the market has fallen.
 */
export function limitTip({ market, factor, floor, prior }: limitTip.Parameters): limitTip.ReturnType {
  const allowed = max(multiply(market, factor), floor)
  const raised = prior && (prior.raises < maxRaises ? multiply(prior.wei, raiseFactor) : prior.wei)
  return {
    highest: max(allowed, raised ?? 0n),
    toSigned(tip) {
      if (!prior || tip <= allowed) return { wei: tip, raises: 0, pricedAt: undefined }
      return { wei: tip, raises: prior.raises + Number(tip > prior.wei), pricedAt: prior.pricedAt }
    },
  }
}
