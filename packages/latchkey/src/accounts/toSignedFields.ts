import { type Address, concat, type Hex } from 'viem'

/** Mark at the end of the paymaster's data, in place of its signature, in the hash of EntryPoint 0.9 (ERC-4337). */
const paymasterSignatureMagic = '0x22e325a297439656'

type Fields = {
  factory?: Address | undefined
  paymasterData?: Hex | undefined
  paymasterSignature?: Hex | undefined
  eip7702Auth?: { address: Address } | undefined
  /** `eip7702Auth` as viem calls it. */
  authorization?: { address: Address } | undefined
}

/**
 * Returns an operation with the fields alone that its hash covers, as a service reads it that knows neither the
 * authorization of EIP-7702 nor the paymaster's own signature: the delegate is in place of the factory `0x7702`.
 */
export function toSignedFields<operation extends object>(
  given: operation & Fields,
): Omit<operation & Fields, 'eip7702Auth' | 'authorization' | 'paymasterSignature'> {
  const { eip7702Auth, authorization, paymasterSignature, ...operation } = given
  const delegate = eip7702Auth?.address ?? authorization?.address
  const { factory, paymasterData = '0x' } = operation
  return {
    ...operation,
    ...(factory === '0x7702' && delegate && { factory: delegate }),
    ...(paymasterSignature && { paymasterData: concat([paymasterData, paymasterSignatureMagic]) }),
  }
}
