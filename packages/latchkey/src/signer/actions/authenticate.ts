import { BaseError } from '../../core/errors/BaseError.ts'
import { PasskeyUnsupportedError } from '../../web/passkey/errors.ts'
import type { AuthParameters } from '../AuthParameters.ts'
import { signedOutError } from '../errors/authErrors.ts'
import { isText } from '../guards.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { User } from '../types.ts'

const needed =
  'an email with `email`, `bundle` or `code`, a passkey with `createNew` and, for a new one, `username`, or an oauth with `provider`'

/**
 * Signs a user in or up. While a form field offers passkeys, the status remains unchanged until the user picks one.
 *
 * @throws `PASSKEY_UNSUPPORTED`, `REQUEST_INVALID`.
 */
export async function authenticate(runner: SignerRunner, request: AuthParameters): Promise<User> {
  if (runner.isDestroyed()) throw signedOutError()
  if (!isComplete(request)) {
    throw new BaseError('This sign-in request is not complete.', {
      code: 'REQUEST_INVALID',
      metaMessages: [`Pass ${needed}.`],
    })
  }
  const { passkeys, offeredBody } = runner.context
  const isOffer = request.type === 'passkey' && !request.createNew && request.mediation === 'conditional'
  if (!isOffer) {
    passkeys.endOffer()
    const isImmediate = request.type === 'passkey' && !request.createNew && request.mediation === 'immediate'
    if (isImmediate && !(await passkeys.hasImmediate())) throw new PasskeyUnsupportedError()
    return runner.call(request)
  }
  const signed = await passkeys.offer(offeredBody, request.signal)
  return runner.call({ type: 'passkey', createNew: false, signal: request.signal, signed })
}

/** Validates requests of untyped callers before any request or prompt. */
function isComplete(request: AuthParameters): boolean {
  const { type, email, bundle, code, createNew, username, provider } = (request ?? {}) as Partial<
    Record<string, unknown>
  >
  if (type === 'email') return [email, bundle, code].some(isText)
  if (type === 'oauth') return isText(provider)
  if (type !== 'passkey') return false
  return createNew === false || (createNew === true && isText(username))
}

export async function disconnect({ context, dispatch, isDestroyed, settled }: SignerRunner): Promise<void> {
  if (isDestroyed()) return
  context.deletions.end()
  context.store.dropEnded()
  dispatch({ type: 'DISCONNECT' })
  await settled()
}

export async function lookUpUser({ context }: SignerRunner, email: string): Promise<{ orgId: string } | null> {
  const orgId = await context.signerApi.lookup(email)
  return orgId === null ? null : { orgId }
}
