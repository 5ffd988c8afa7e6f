import { errorCodes } from 'latchkey-protocol'
import { z } from 'zod'
import { bounds } from '../gatewayLimits.ts'
import { RpcError, rpcCodes } from './RpcError.ts'

/** Every EntryPoint refuses gas and fee values of more than 120 bits (AA94). */
export const maxGasValue = 2n ** 120n - 1n

/** Schema of hex text that aborts on a mismatch, so that no later check, such as `BigInt`, reads it. */
export const hexText = (form: RegExp, error: string) => z.string().regex(form, { error, abort: true })

export const address = hexText(/^0x[0-9a-fA-F]{40}$/, 'must be an address of 20 bytes in hex')

/** Factory of an operation that is sent by an account of EIP-7702, from EntryPoint 0.8 on (ERC-4337). */
export const delegationFactory = '0x7702'

/** A contract, or `0x7702`, optionally padded with zeros to 20 bytes. */
export const factoryAddress = z.union([
  hexText(/^0x7702(?:0{36})?$/, 'must be 0x7702').transform(() => delegationFactory),
  address,
])

export const bytes = hexText(/^0x(?:[0-9a-fA-F]{2})*$/, 'must be bytes in hex')

export const quantity = hexText(/^0x[0-9a-fA-F]{1,64}$/, 'must be a quantity in hex')

export const gasQuantity = quantity.refine((value) => BigInt(value) <= maxGasValue, 'must be below 2^120')

export const policyId = z.string().min(1).max(128)

/** One or several policies. The first one that allows the operation applies. Each may cost an estimate. */
export const policyIds = z.union([policyId, z.array(policyId).min(1).max(5)])

const override = z.union([gasQuantity, z.object({ multiplier: z.number() })]).optional()

/** `overrides` of the gas methods: absolute hex or a multiplier. */
export const gasOverrides = z.object({
  maxFeePerGas: override,
  maxPriorityFeePerGas: override,
  callGasLimit: override,
  verificationGasLimit: override,
  preVerificationGas: override,
  paymasterVerificationGasLimit: override,
  paymasterPostOpGasLimit: override,
})

/**
 * Checks a caller's value against a schema. The error contains the first invalid field and its expected form, never its
 * value.
 *
 * @throws `REQUEST_INVALID`.
 */
export function parseParams<schema extends z.ZodType>(schema: schema, value: unknown, what: string): z.output<schema> {
  if (!isBounded(value)) throw invalidParams(`${what}: hold too many values, or are nested too deeply`)
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const path = issue ? [what, ...issue.path.map(String)].join('.') : what
  throw invalidParams(`${path}: ${issue?.message ?? 'not valid'}`)
}

/** Checks the size before a schema reads the value, since a schema recurses and reports every fault. */
function isBounded(value: unknown): boolean {
  let left: number = bounds.paramValues
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    left -= level.length
    if (left < 0 || depth > bounds.paramDepth) return false
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return true
}

const invalidParams = (text: string) =>
  new RpcError(`Invalid params: ${text}.`, { code: errorCodes.REQUEST_INVALID, rpcCode: rpcCodes.invalidParams })

/**
 * Checks a result of the node or the bundler. A mismatch is not the caller's fault, so it is not `Invalid params`.
 * @throws `RESPONSE_INVALID`.
 */
export function parseResult<schema extends z.ZodType>(schema: schema, value: unknown, what: string): z.output<schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new RpcError(
    `The gateway got ${what} that it cannot read. Its operator should check the node and the bundler.`,
    {
      code: errorCodes.RESPONSE_INVALID,
      rpcCode: rpcCodes.internal,
    },
  )
}
