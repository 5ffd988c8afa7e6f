import { PasskeyUnsupportedError, passkeyError } from './errors.ts'

/** Default time limit of a prompt, passed to the browser. */
export const promptTimeoutMs = 300_000
/** Extra time for the browser to close an expired prompt. */
const graceMs = 10_000

export declare namespace promptForPasskey {
  type Parameters = {
    doing: 'create' | 'use'
    rpId: string | undefined
    /** Time limit passed to the browser; undefined for the browser's default. */
    timeoutMs: number | undefined
    /** Whether the browser offers passkeys in a form field. Such a request stays open. */
    isOffer?: boolean | undefined
    /** Aborting any of them closes the prompt. */
    signals: readonly (AbortSignal | undefined)[]
    show(signal: AbortSignal): Promise<Credential | null>
  }
  type ReturnType = PublicKeyCredential
}

/**
 * Shows a prompt and returns the chosen or created passkey. Rejects with `PASSKEY_TIMEOUT` if the browser neither
 * answers nor closes the prompt.
 *
 * @throws `PASSKEY_CANCELLED`, `PASSKEY_EXISTS`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`.
 */
export async function promptForPasskey(parameters: promptForPasskey.Parameters): Promise<promptForPasskey.ReturnType> {
  const { doing, rpId, timeoutMs, isOffer, signals, show } = parameters
  const began = performance.now()
  const own = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  for (const signal of signals) {
    const cancel = () => own.abort(signal?.reason)
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true, signal: own.signal })
  }
  const late = new Promise<never>((_, reject) => {
    const end = () => {
      reject({ name: 'TimeoutError' })
      own.abort()
    }
    if (!isOffer) timer = setTimeout(end, (timeoutMs ?? promptTimeoutMs) + graceMs)
  })
  let credential: Credential | null
  try {
    credential = await Promise.race([show(own.signal), late])
  } catch (cause) {
    throw passkeyError(cause, { doing, rpId, tookMs: performance.now() - began, timeoutMs })
  } finally {
    clearTimeout(timer)
  }
  if (!isPublicKeyCredential(credential)) throw new PasskeyUnsupportedError()
  return credential
}

/**
 * Checks members instead of the class: password managers return plain objects, which are not instances of
 * `PublicKeyCredential`.
 */
function isPublicKeyCredential(credential: Credential | null): credential is PublicKeyCredential {
  const { rawId, response } = Object(credential) as Partial<PublicKeyCredential>
  return rawId !== undefined && response !== undefined
}
