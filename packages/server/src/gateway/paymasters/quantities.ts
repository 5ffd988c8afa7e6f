import { z } from 'zod'

/** Schemas of JSON-RPC values (EIP-1474). */

/** EntryPoint 0.6 and 0.7 refuse gas and fee values of more than 120 bits (AA94). */
export const maxGasValue = 2n ** 120n - 1n

export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address of 20 bytes in hex')

export const bytes = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'must be bytes in hex')

export const quantity = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, 'must be a quantity in hex')

export const gasQuantity = quantity.refine((value) => BigInt(value) <= maxGasValue, 'must be below 2^120')

const override = z.union([gasQuantity, z.object({ multiplier: z.number() })]).optional()

/** `overrides` of the gas methods: absolute hex or a factor. */
export const gasOverrides = z.object({
  maxFeePerGas: override,
  maxPriorityFeePerGas: override,
  callGasLimit: override,
  verificationGasLimit: override,
  preVerificationGas: override,
  paymasterVerificationGasLimit: override,
  paymasterPostOpGasLimit: override,
})
