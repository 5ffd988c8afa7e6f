import { BaseError, ContractFunctionRevertedError } from 'viem'
import { FixtureError } from '../FixtureError.ts'

/** Returns the error's name and arguments, or the reason's text. Fails if the call did not revert. */
export async function readRevert(call: Promise<unknown>): Promise<{ name: string; args: readonly unknown[] }> {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  const revert =
    failure instanceof BaseError ? failure.walk((error) => error instanceof ContractFunctionRevertedError) : undefined
  if (!(revert instanceof ContractFunctionRevertedError)) {
    throw failure ?? new FixtureError('The call did not revert.')
  }
  if (!revert.data) return { name: revert.reason ?? revert.signature ?? 'empty', args: [] }
  const { errorName, args = [] } = revert.data
  // `require` reverts with Error(string).
  return errorName === 'Error' ? { name: String(args[0]), args: [] } : { name: errorName, args }
}
