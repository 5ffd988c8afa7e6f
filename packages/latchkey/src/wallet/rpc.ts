import { type Address, type Hex, isAddress } from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'
import type { RpcClient } from './client/types.ts'
import { toUserOperationError } from './errors/toUserOperationError.ts'

export declare namespace rpc {
  type Parameters = {
    method: string
    params: readonly unknown[]
    /** Description of the failed action for errors, as a sentence. */
    action: string
    signal?: AbortSignal | undefined
    /** Retries of a failed call. @default the transport's setting */
    retryCount?: number | undefined
  }
}

/** Calls a JSON-RPC method. Converts failures to Latchkey errors, without the API key in the URL. */
export async function rpc(client: RpcClient, parameters: rpc.Parameters): Promise<unknown> {
  const { method, params, action, signal, retryCount } = parameters

  // viem's type accepts only known methods, so neither the provider's methods nor newer methods.
  const request = client.request as (
    call: { method: string; params: readonly unknown[] },
    options: { signal?: AbortSignal; retryCount?: number },
  ) => Promise<unknown>
  try {
    return await request(
      { method, params },
      { ...(signal ? { signal } : {}), ...(retryCount === undefined ? {} : { retryCount }) },
    )
  } catch (error) {
    throw await toUserOperationError(error, { client, method, params, action, metaMessages: [`Method: ${method}`] })
  }
}

// Validators of a service's responses. Each throws `RESPONSE_INVALID`.

export function readObject(value: unknown, action: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  throw invalid('an object', action)
}

export function readHex(value: unknown, action: string): Hex {
  if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)) return value as Hex
  throw invalid('hex', action)
}

export function readAddress(value: unknown, action: string): Address {
  if (typeof value === 'string' && isAddress(value, { strict: false })) return value
  throw new BaseError(`${action} The service's answer was not an address.`, { code: 'RESPONSE_INVALID' })
}

/** Reads a quantity, given as hex or a number. */
export function readQuantity(value: unknown, action: string): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value)
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  throw invalid('a quantity in hex', action)
}

function invalid(expected: string, action: string): BaseError {
  return new BaseError(`${action} The service's answer was not ${expected}.`, {
    code: 'RESPONSE_INVALID',
    metaMessages: ['Check that the URL of the connection is a JSON-RPC service with bundler methods.'],
  })
}
