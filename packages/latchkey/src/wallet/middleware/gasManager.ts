import { type GasOverride, type GasOverrides, gatewayMethods, type PolicyIds } from 'latchkey-protocol'
import { type Hex, numberToHex } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import { getPaymasterAddress } from '../../core/chains/getPaymasterAddress.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { EntryPointFormat } from '../entryPoint/EntryPointFormat.ts'
import { getFormat } from '../entryPoint/formats.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { bigIntMultiply } from '../userOperation/gasValues.ts'
import { settleDraft, toRequest } from '../userOperation/states.ts'
import type { SettledDraft } from '../userOperation/types.ts'
import type { GasManagerConfig, Middleware, MiddlewareContext, PaymentSteps, SettlingStep } from './types.ts'

/** Dummy paymaster data: 97 bytes in the format of real data, so that gas estimates are correct. */
const dummyPaymasterData: Hex =
  '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'

const action = 'Could not get the operation sponsored.'

/**
 * Returns the steps that a gas manager replaces. Combined flow (default): one request returns fees, gas and paymaster
 * fields, so fees and gas need no steps. Separate flow (`disableGasEstimation`): the client determines fees and gas
 * first, and the gas manager then signs them.
 */
export function gasManager(config: GasManagerConfig): PaymentSteps {
  const { policyId, gasEstimationOptions } = config
  const dummyPaymasterAndData = dummyStep(config)
  return gasEstimationOptions?.disableGasEstimation
    ? { dummyPaymasterAndData, paymasterAndData: separateStep(policyId) }
    : {
        dummyPaymasterAndData,
        feeEstimator: undefined,
        gasEstimator: undefined,
        paymasterAndData: combinedStep(policyId),
      }
}

function dummyStep({ paymasterAddress, dummyData = dummyPaymasterData }: GasManagerConfig): Middleware {
  return async (draft, { account, client }) => {
    const { entryPointVersion } = account
    const paymaster = getPaymasterAddress({ chain: client.chain, entryPointVersion, address: paymasterAddress })
    return { ...draft, ...getFormat(account).toPaymasterFields(paymaster, dummyData) }
  }
}

/** Creates the step that calls `alchemy_requestGasAndPaymasterAndData`. */
function combinedStep(policyId: PolicyIds): SettlingStep {
  const method = gatewayMethods.requestGasAndPaymasterAndData
  return async (draft, context) => {
    const { account, client } = context
    const format = getFormat(account)
    const settled = await settleDraft(draft)
    const { gas, rest } = splitGasFields(settled, format)
    const params = {
      policyId,
      entryPoint: account.entryPoint.address,
      userOperation: toRequest(rest),
      dummySignature: settled.signature,
      overrides: toGasOverrides(gas, format, context),
    }
    const reply = readObject(await rpc(client, { method, params: [params], action }), action)
    const values = readQuantities(reply, format.gasFields)
    requireOverrides(values, params.overrides)
    return { ...settled, ...values, ...readPayment(reply, format) }
  }
}

/** Refuses a response that ignores an absolute override, because the paymaster's signature covers another value. */
function requireOverrides(values: SettledDraft, overrides: GasOverrides): void {
  for (const [field, wanted] of Object.entries(overrides)) {
    const value = values[field as GasField]
    if (typeof wanted === 'object' || value === undefined || BigInt(wanted) === BigInt(value)) continue
    throw new BaseError(`${action} The gas manager did not use ${field} of \`overrides\`.`, {
      code: 'RESPONSE_INVALID',
      metaMessages: [`Override: ${BigInt(wanted)}`, `Reply: ${value}`, 'Nothing was signed.'],
    })
  }
}

/** Creates the step that calls `alchemy_requestPaymasterAndData`. */
function separateStep(policyId: PolicyIds): SettlingStep {
  const method = gatewayMethods.requestPaymasterAndData
  return async (draft, { account, client }) => {
    const format = getFormat(account)
    const settled = withPaymasterGas(await settleDraft(draft), format)
    const params = { policyId, entryPoint: account.entryPoint.address, userOperation: toRequest(settled) }
    const reply = readObject(await rpc(client, { method, params: [params], action }), action)
    // If the response omits the paymaster's gas limits, those in the request apply.
    const limits = format.paymasterGasFields.filter((field) => reply[field] !== undefined)
    return { ...settled, ...readQuantities(reply, limits), ...readPayment(reply, format) }
  }
}

/** Adds default gas limits of the paymaster if an app's gas estimator did not set them. */
function withPaymasterGas(draft: SettledDraft, { gasDefaults }: EntryPointFormat): SettledDraft {
  const missing = Object.entries(gasDefaults).filter(([field]) => draft[field as GasField] === undefined)
  return { ...draft, ...Object.fromEntries(missing) }
}

/**
 * Creates the step for previews, which calls `pm_getPaymasterStubData` (ERC-7677). The gas manager only reports whether
 * it would pay, and signs nothing. Fees and gas are zero.
 */
export function stubStep({ policyId }: GasManagerConfig): SettlingStep {
  return async (draft, { account, client }) => {
    const format = getFormat(account)
    const settled = await settleDraft(draft)
    const { rest } = splitGasFields(settled, format)
    const params = [toRequest(rest), account.entryPoint.address, numberToHex(client.chain.id), { policyId }]
    const reply = readObject(await rpc(client, { method: gatewayMethods.getPaymasterStubData, params, action }), action)
    const gas: SettledDraft = Object.fromEntries(format.gasFields.map((field) => [field, 0n]))
    return { ...gas, ...rest, ...format.readPaymasterFields(reply, action) }
  }
}

/** Reads the paymaster fields. Throws without a paymaster, because the account would pay for a sponsored operation. */
export function readPayment(reply: Record<string, unknown>, format: EntryPointFormat): SettledDraft {
  const fields = format.readPaymasterFields(reply, action)
  if (!format.paysItself(fields)) return fields
  throw new BaseError(`${action} The gas manager named no paymaster: the account would pay for its gas.`, {
    code: 'RESPONSE_INVALID',
    metaMessages: [
      'Nothing was signed. To let the account pay, omit `gasManagerConfig`, or pass `0x` as the paymaster data in `overrides`.',
    ],
  })
}

export function readQuantities(reply: Record<string, unknown>, fields: readonly GasField[]): SettledDraft {
  return Object.fromEntries(fields.map((field) => [field, readQuantity(reply[field], action)]))
}

type GasValues = Pick<SettledDraft, GasField>

function splitGasFields(draft: SettledDraft, { gasFields }: EntryPointFormat): { gas: GasValues; rest: SettledDraft } {
  const isGas = ([name]: [string, unknown]) => gasFields.some((field) => field === name)
  const entries = Object.entries(draft)
  return {
    gas: Object.fromEntries(entries.filter(isGas)),
    rest: Object.fromEntries(entries.filter((entry) => !isGas(entry))),
  }
}

/**
 * Returns the values that the gas manager must use. For each field, the first of these applies: an absolute override, a
 * factor given as override, a fee option that is only a factor, a value set by a middleware. Fee options with bounds
 * are not sent.
 */
export function toGasOverrides(
  gas: GasValues,
  { gasFields }: EntryPointFormat,
  context: MiddlewareContext,
): GasOverrides {
  const entries = gasFields.map((field) => [field, toGasOverride(field, gas, context)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function toGasOverride(
  field: GasField,
  gas: GasValues,
  { overrides, feeOptions }: MiddlewareContext,
): GasOverride | undefined {
  const override = overrides[field]
  if (override !== undefined) {
    return typeof override === 'object' ? toFactor(override.multiplier) : numberToHex(BigInt(override))
  }
  const { min, max, multiplier } = feeOptions[field] ?? {}
  if (multiplier !== undefined && min === undefined && max === undefined) return toFactor(multiplier)
  return gas[field] ? numberToHex(gas[field]) : undefined
}

/** Validates a factor with the precision of `bigIntMultiply`, before it is sent. */
function toFactor(multiplier: number): { multiplier: number } {
  bigIntMultiply(0n, multiplier)
  return { multiplier }
}
