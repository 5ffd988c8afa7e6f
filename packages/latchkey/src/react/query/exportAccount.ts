import type { ExportWalletParameters } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { signerOf } from './signerOf.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that shows the person signed in their secret, in a frame this page cannot read. */
export function exportAccountMutationOptions(
  config: LatchkeyConfig,
  parameters: ExportWalletParameters,
  options?: MutationOptions<boolean, void>,
): Mutation<boolean, void> {
  return {
    ...options,
    mutationKey: ['exportAccount'],
    mutationFn: async () => signerOf(config).exportWallet(parameters),
  }
}
