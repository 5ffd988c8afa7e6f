import type { AuthParameters, User } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { signerOf } from './signerOf.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that signs a person in. */
export function authenticateMutationOptions(
  config: LatchkeyConfig,
  options?: MutationOptions<User, AuthParameters>,
): Mutation<User, AuthParameters> {
  return {
    ...options,
    mutationKey: ['authenticate'],
    mutationFn: async (parameters: AuthParameters) => signerOf(config).authenticate(parameters),
  }
}
