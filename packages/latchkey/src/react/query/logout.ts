import { disconnect } from '../../wallet/actions/session.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that signs out, in every tab. */
export function logoutMutationOptions(
  config: LatchkeyConfig,
  options?: MutationOptions<void, void>,
): Mutation<void, void> {
  return { ...options, mutationKey: ['logout'], mutationFn: () => disconnect(config) }
}
