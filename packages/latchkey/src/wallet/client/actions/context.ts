import type { LatchkeyAccount } from '../../../accounts/types.ts'
import type { Stack } from '../../middleware/stack.ts'
import type { MiddlewareClient, MiddlewareContext } from '../../middleware/types.ts'
import type { OutboxOptions } from '../../outbox/types.ts'
import type { ClientOptions, SendUserOperationParameters } from '../types.ts'

/** State shared by the actions of one smart-account client. */
export type ActionContext = {
  account: LatchkeyAccount
  client: MiddlewareClient
  stack: Stack
  options: ClientOptions
  /** Stores each operation from the call that sends it until its outcome is known. */
  outbox?: OutboxOptions | undefined
}

/** Returns the context passed to every middleware. */
export function middlewareContext(
  { account, client, options }: ActionContext,
  { overrides = {}, context }: Pick<SendUserOperationParameters, 'overrides' | 'context'>,
): MiddlewareContext {
  const { feeOptions: given = {}, costCaps = {} } = options
  const { minVerificationGas: min } = account.getSigner()
  const feeOptions = min === undefined ? given : { verificationGasLimit: { min }, ...given }
  return { account, client, overrides, feeOptions, costCaps, context }
}
