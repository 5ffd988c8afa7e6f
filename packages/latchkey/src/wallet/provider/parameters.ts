import { type Address, type Hex, hexToNumber, isAddress, isHex, type TypedDataDefinition } from 'viem'
import type { SmartAccountClient } from '../client/types.ts'
import { ProviderRpcError } from './ProviderRpcError.ts'

// Validators of request parameters. Each throws -32602 for an invalid value.

type Fields = { readonly [name: string]: unknown }

export function invalidParams(message: string): ProviderRpcError {
  return new ProviderRpcError('invalidParams', message)
}

export function readFields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw invalidParams(`${what} must be an object.`)
}

export function readHexParam(value: unknown, what: string): Hex {
  if (isHex(value)) return value
  throw invalidParams(`${what} must be hex, starting with 0x.`)
}

export function readAddressParam(value: unknown, what: string): Address {
  if (typeof value === 'string' && isAddress(value, { strict: false })) return value
  throw invalidParams(`${what} must be an address.`)
}

/** Reads a quantity. Returns undefined if the value is absent. */
export function readQuantityParam(value: unknown, what: string): bigint | undefined {
  if (value === undefined || value === null) return undefined
  // Some libraries write zero as `0x`.
  if (typeof value === 'string' && /^0x[0-9a-f]{0,64}$/i.test(value)) return BigInt(value === '0x' ? 0 : value)
  throw invalidParams(`${what} must be a quantity in hex, such as 0x1.`)
}

export function readChainId(value: unknown): number {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value)) return hexToNumber(value as Hex)
  throw invalidParams('`chainId` must be a chain id in hex, such as 0x1.')
}

/** Throws 4100 unless the address is the client's account. */
export function requireAccount(client: SmartAccountClient, address: Address): void {
  if (address.toLowerCase() === client.account.address.toLowerCase()) return
  throw new ProviderRpcError('unauthorized', 'cannot sign for address that is not the current account')
}

/** Reads typed data, given as JSON text or an object, and checks its chain. */
export function readTypedData(value: unknown, chainId: number): TypedDataDefinition {
  const found = readFields(typeof value === 'string' ? parse(value) : value, 'The typed data')
  const { domain, types, primaryType, message } = found
  const fields = readFields(domain ?? {}, '`domain`')
  readFields(types, '`types`')
  readFields(message, '`message`')
  if (typeof primaryType !== 'string') throw invalidParams('`primaryType` must name one of the types.')
  const { chainId: wanted } = fields
  if (wanted !== undefined && wanted !== null && toNumber(wanted) !== chainId) {
    throw invalidParams(`The typed data is for chain ${String(wanted)}, and the wallet is on ${chainId}. Switch first.`)
  }
  return found as unknown as TypedDataDefinition
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidParams('The typed data must be JSON.')
  }
}

function toNumber(value: unknown): number {
  return typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
}
