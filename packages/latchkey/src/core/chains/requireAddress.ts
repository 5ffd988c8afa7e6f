import { type Address, getAddress, isAddress } from 'viem'
import { BaseError } from '../errors/BaseError.ts'

/** An address in EIP-55 form. Throws `ADDRESS_INVALID`. */
export function requireAddress(value: Address): Address {
  // Letters of any case are taken: what is checked here is that it is an address, not who wrote it.
  if (isAddress(value, { strict: false })) return getAddress(value)
  throw new BaseError(`${value} is not an address.`, {
    code: 'ADDRESS_INVALID',
    metaMessages: ['Pass 0x and 40 hexadecimal digits.'],
  })
}
