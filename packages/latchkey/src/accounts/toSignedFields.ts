import { type Address, concat, type Hex } from 'viem'

/**
 * Magic value that replaces the paymaster's signature at the end of its data in the hash of EntryPoint 0.9 (ERC-4337).
 */
const paymasterSignatureMagic = '0x22e325a297439656'

type Fields = {
  factory?: Address | undefined
  paymasterData?: Hex | undefined
  paymasterSignature?: Hex | undefined
  eip7702Auth?: { address: Address } | undefined
  /** viem's name for `eip7702Auth`. */
  authorization?: { address: Address } | undefined
}

/**
 * Returns only the fields that the operation's hash covers, and replaces the factory `0x7702` with the delegate. For
 * services that support neither EIP-7702 authorizations nor separate paymaster signatures.
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
