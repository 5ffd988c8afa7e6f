import { BaseError } from '../../../core/errors/BaseError.ts'
import { pause } from '../../../core/pause.ts'
import { AbortedError } from '../../errors/authErrors.ts'

/**
 * Waits between two looks at something.
 *
 * @throws `ABORTED`, or what the signal's owner says.
 */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(ms, signal)
  // That of a session says itself that it has ended.
  if (signal?.aborted) throw signal.reason instanceof BaseError ? signal.reason : cancelled()
}

export function cancelled(): AbortedError {
  return new AbortedError('The wait for the confirmation was cancelled.')
}
