import type { LatchkeyAccount } from '../../../accounts/types.ts'
import type { Stack } from '../../middleware/stack.ts'
import type { MiddlewareClient, MiddlewareContext } from '../../middleware/types.ts'
import type { OutboxOptions } from '../../outbox/types.ts'
import type { ClientOptions, SendUserOperationParameters } from '../types.ts'

/** What the actions of one smart-account client share. */
export type ActionContext = {
  account: LatchkeyAccount
  client: MiddlewareClient
  stack: Stack
  options: ClientOptions
  /** Keeps operations from the press on. */
  outbox?: OutboxOptions | undefined
}

/** What every middleware is given. */
export function middlewareContext(
  { account, client, options }: ActionContext,
  { overrides = {}, context }: Pick<SendUserOperationParameters, 'overrides' | 'context'>,
): MiddlewareContext {
  const { feeOptions = {}, costCaps = {} } = options
  return { account, client, overrides, feeOptions, costCaps, context }
}
