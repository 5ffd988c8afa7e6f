import type { MiddlewareContext } from '../client/types.ts'

/** Whether the caller asked for the operation to go without a paymaster. */
export function isUnsponsored({ account, overrides }: Pick<MiddlewareContext, 'account' | 'overrides'>): boolean {
  const data = account.entryPointVersion === '0.6.0' ? overrides.paymasterAndData : overrides.paymasterData
  return data === '0x'
}
