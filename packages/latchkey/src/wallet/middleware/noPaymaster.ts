import type { Middleware } from '../client/types.ts'

/** The account pays for its own gas: empty paymaster data on 0.6, none on 0.7. */
export const noPaymaster: Middleware = async (draft, { account }) =>
  account.entryPointVersion === '0.6.0' ? { ...draft, paymasterAndData: '0x' } : draft
