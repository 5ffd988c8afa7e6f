import { type ErrorCode, type GasOverrides, gatewayMethods, type PolicyIds } from 'latchkey-protocol'
import { type Hex, numberToHex } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { gatewaySupport, isUnknownMethod, rememberGateway } from '../client/gatewaySupport.ts'
import { commonGasFields } from '../entryPoint/EntryPointFormat.ts'
import { getFormat } from '../entryPoint/formats.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { settleGasField } from '../userOperation/gasValues.ts'
import { settleDraft } from '../userOperation/states.ts'
import type { SettledDraft } from '../userOperation/types.ts'
import { capFees, capGas } from './capCosts.ts'
import { readBaseFee } from './estimateFees.ts'
import { readPayment, readQuantities, toGasOverrides } from './gasManager.ts'
import type { GasManagerConfig, MiddlewareClient, MiddlewareContext, PrepareStep } from './types.ts'

// One `latchkey_prepareUserOperation` request returns nonce, gas, fees and paymaster fields, and whether the account
// must be deployed. The client itself determines sender, call data and the init code.

const action = 'Could not prepare the operation.'

/** Creates the step that prepares a sponsored operation, like the gas manager's combined flow. */
export function prepareSponsored({ policyId }: GasManagerConfig): PrepareStep {
  return async (callData, context) => {
    const format = getFormat(context.account)
    const overrides = toGasOverrides({}, format, context)
    const found = await prepare(callData, context, { policyId, overrides })
    if (!found) return undefined
    return { ...found.draft, ...readQuantities(found.result, format.gasFields), ...readPayment(found.result, format) }
  }
}

/**
 * Prepares an operation that the account pays for, like `estimateFees` and `estimateGas`. Applies overrides and fee
 * options. Checks the gateway's values against a base fee that the client reads in parallel.
 *
 * @throws `BASE_FEE_MISSING`, `COST_TOO_HIGH`.
 */
export const prepareSelfPaid: PrepareStep = async (callData, context) => {
  const { account, client } = context
  const [found, baseFee] = await Promise.all([
    prepare(callData, context, { sponsored: false, overrides: {} }),
    readBaseFee(client),
  ])
  if (!found) return undefined
  const draft = { ...found.draft, ...getFormat(account).noPaymaster }
  const reported = readQuantities(found.result, commonGasFields)
  capFees(reported, baseFee, context)
  capGas(reported, draft, context)
  return { ...draft, ...settleGas(reported, context) }
}

function settleGas(reported: SettledDraft, { overrides, feeOptions }: MiddlewareContext): SettledDraft {
  const settle = (field: GasField, value = reported[field]) =>
    settleGasField({ value, override: overrides[field], option: feeOptions[field] })
  const { maxFeePerGas = 0n, maxPriorityFeePerGas: tip = 0n } = reported
  const maxPriorityFeePerGas = settle('maxPriorityFeePerGas')
  return {
    callGasLimit: settle('callGasLimit'),
    verificationGasLimit: settle('verificationGasLimit'),
    preVerificationGas: settle('preVerificationGas'),
    maxPriorityFeePerGas,
    maxFeePerGas: settle('maxFeePerGas', maxFeePerGas - tip + maxPriorityFeePerGas),
  }
}

type Payment = { overrides: GasOverrides } & ({ policyId: PolicyIds } | { sponsored: false })

/**
 * Returns the gateway's response, and a draft of the operation without gas, fees and paymaster. Returns undefined if
 * the service lacks the method.
 */
async function prepare(
  callData: Hex,
  { account, client, overrides }: MiddlewareContext,
  payment: Payment,
): Promise<{ draft: SettledDraft; result: Record<string, unknown> } | undefined> {
  const format = getFormat(account)
  const sender = account.address
  const nonceKey = await account.toNonceKey(overrides.nonceKey ?? 0n)
  const nonce = nonceKey << 64n
  const [signature, initCode, delegation] = await Promise.all([
    account.getStubSignature({ nonce }),
    readInitCode(account),
    settleDraft(account.delegation ? format.readDelegation(account.delegation.getStubAuthorization()) : {}),
  ])
  const result = await requestPrepared(client, {
    ...payment,
    entryPoint: account.entryPoint.address,
    userOperation: { sender, callData, ...format.toDeployment(initCode), ...delegation },
    nonceKey: numberToHex(nonceKey),
    dummySignature: signature,
  })
  if (!result) return undefined
  const deployment = format.toDeployment(format.deploys(result) ? initCode : undefined)
  const known = { sender, callData, signature, ...deployment, ...delegation }
  return { draft: { ...known, nonce: readNonce(result.nonce, nonceKey) }, result }
}

/** Requests the prepared operation. Returns undefined if the service lacks the method. */
async function requestPrepared(client: MiddlewareClient, params: object): Promise<Record<string, unknown> | undefined> {
  const method = gatewayMethods.prepareUserOperation
  const support = gatewaySupport(client)
  try {
    const reply = readObject(await rpc(client, { method, params: [params], action }), action)
    const result = readObject(reply.userOperation, action)
    rememberGateway(client, true)
    return result
  } catch (error) {
    const isUnknown = isUnknownMethod(error)
    if (isUnknown || (support === 'unknown' && isNoReply(error))) {
      rememberGateway(client, false)
      return undefined
    }
    throw error
  }
}

/** Checks for other errors that services return for an unknown method. */
function isNoReply(error: unknown): boolean {
  const codes: readonly ErrorCode[] = ['HTTP_FAILED', 'RESPONSE_INVALID', 'RPC_FAILED']
  return error instanceof BaseError && codes.includes(error.code)
}

/** Returns the init code; undefined without a known factory, which means that the account is already deployed. */
async function readInitCode(account: LatchkeyAccount): Promise<Hex | undefined> {
  if (account.delegation) return undefined
  return account.getFactoryInitCode().catch((error: unknown) => {
    if (error instanceof BaseError && error.code === 'FACTORY_NOT_FOUND') return undefined
    throw error
  })
}

/**
 * Reads the next nonce. Requires the given nonce key: with another key, both this operation and an operation that is
 * being resent could be included.
 */
function readNonce(value: unknown, nonceKey: bigint): bigint {
  const nonce = readQuantity(value, action)
  if (nonce >> 64n === nonceKey) return nonce
  throw new BaseError(`${action} The service returned a nonce with another key.`, {
    code: 'RESPONSE_INVALID',
    metaMessages: [`Nonce: ${nonce}`, `Key: ${nonceKey}`, 'Nothing was signed.'],
  })
}
