import type { Signer } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { signerOf } from './signerOf.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** What may be said about the new passkey; nothing need be. */
// biome-ignore lint/suspicious/noConfusingVoidType: it lets the mutation be called without an argument
export type AddPasskeyParameters = Parameters<Signer['addPasskey']>[0] | void

/** Options of the mutation that gives the person signed in a passkey. Answers the authenticator's id. */
export function addPasskeyMutationOptions(
  config: LatchkeyConfig,
  options?: MutationOptions<string[], AddPasskeyParameters>,
): Mutation<string[], AddPasskeyParameters> {
  return {
    ...options,
    mutationKey: ['addPasskey'],
    mutationFn: async (parameters) => signerOf(config).addPasskey(parameters ?? undefined),
  }
}
