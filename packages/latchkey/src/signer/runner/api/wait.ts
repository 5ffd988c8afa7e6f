import { BaseError } from '../../../core/errors/BaseError.ts'
import { pause } from '../../../core/pause.ts'
import { AbortedError } from '../../errors/authErrors.ts'

/**
 * Waits between two polls.
 *
 * @throws `ABORTED`, or the signal's own reason.
 */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(ms, signal)
  // A session's signal aborts with an error as its reason.
  if (signal?.aborted) throw signal.reason instanceof BaseError ? signal.reason : cancelled()
}

export function cancelled(): AbortedError {
  return new AbortedError('The wait for the confirmation was cancelled.')
}
