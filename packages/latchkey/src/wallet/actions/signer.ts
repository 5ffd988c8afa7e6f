import type { Signer, User } from '../../signer/types.ts'
import type { LatchkeyConfig, SignerStatusObject } from '../store/types.ts'

export declare namespace getSigner {
  type ReturnType = Signer | null
}

/**
 * Returns the signer; null on a server and until the page is mounted.
 *
 * @example
 * ```ts
 * import { getSigner } from 'latchkey'
 * import { config } from './config.ts'
 *
 * await getSigner(config)?.authenticate({ type: 'email', email: 'alice@example.com' })
 * ```
 */
export function getSigner(config: LatchkeyConfig): getSigner.ReturnType {
  return config.clientStore.getState().signer ?? null
}

/**
 * Calls the listener when the signer is created. Returns an unsubscribe function.
 *
 * @example
 * ```ts
 * import { watchSigner } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const unsubscribe = watchSigner(config)((signer) => console.log(signer?.status))
 * unsubscribe()
 * ```
 */
export function watchSigner(config: LatchkeyConfig): (listener: (signer: Signer | null) => void) => () => void {
  return (listener) => config.clientStore.subscribe((state) => state.signer ?? null, listener)
}

export declare namespace getSignerStatus {
  type ReturnType = SignerStatusObject
}

/**
 * Returns the status of the signer. Returns the same object until the status changes.
 *
 * @example
 * ```ts
 * import { getSignerStatus } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const { status, isConnected } = getSignerStatus(config)
 * ```
 */
export function getSignerStatus(config: LatchkeyConfig): getSignerStatus.ReturnType {
  return config.clientStore.getState().signerStatus
}

/**
 * Calls the listener when the signer's status changes. Returns an unsubscribe function.
 *
 * @example
 * ```ts
 * import { watchSignerStatus } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const unsubscribe = watchSignerStatus(config)(({ status }) => console.log(status))
 * unsubscribe()
 * ```
 */
export function watchSignerStatus(
  config: LatchkeyConfig,
): (listener: (status: SignerStatusObject) => void) => () => void {
  return (listener) =>
    config.clientStore.subscribe((state) => state.signerStatus, listener, {
      equalityFn: (left, right) => left.status === right.status && left.error === right.error,
    })
}

export declare namespace getUser {
  type ReturnType = User | undefined
}

/**
 * Returns the signed-in user. While a session is being restored, returns the user of the last visit.
 *
 * @example
 * ```ts
 * import { getUser } from 'latchkey'
 * import { config } from './config.ts'
 *
 * console.log(getUser(config)?.email)
 * ```
 */
export function getUser(config: LatchkeyConfig): getUser.ReturnType {
  return config.clientStore.getState().user
}

/**
 * Calls the listener when another user signs in, the user signs out, or the user's e-mail address changes. Returns an
 * unsubscribe function.
 *
 * @example
 * ```ts
 * import { watchUser } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const unsubscribe = watchUser(config)((user) => console.log(user?.email ?? 'signed out'))
 * unsubscribe()
 * ```
 */
export function watchUser(config: LatchkeyConfig): (listener: (user: User | undefined) => void) => () => void {
  return (listener) =>
    config.clientStore.subscribe((state) => state.user, listener, {
      equalityFn: (left, right) => left?.userId === right?.userId && left?.email === right?.email,
    })
}
