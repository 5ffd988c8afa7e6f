import { HttpError } from '../../core/errors/HttpError.ts'
import type { NewPasskey } from '../../web/platform.ts'
import { CustodyError } from '../errors/custodyErrors.ts'
import type { SignerContext } from '../SignerContext.ts'

/** Registers a passkey that was just made. One that the service refused is not offered by the device any more. */
export async function registerPasskey<result>(
  { passkeys }: SignerContext,
  passkey: NewPasskey,
  register: () => Promise<result>,
): Promise<result> {
  try {
    return await register()
  } catch (error) {
    if (isRefusal(error)) await passkeys.forget(passkey)
    throw error
  }
}

/** Whether the service has not taken it, for certain: an answer that was lost, or a failure, may come after it has. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof HttpError || error instanceof CustodyError)) return false
  return error.status >= 400 && error.status < 500
}
