import type { PasskeyCreationOptions } from '../web/platform.ts'

/** Sends a sign-in e-mail. */
export type EmailParameters = {
  type: 'email'
  email: string
  /** Query parameters to add to the e-mail link. */
  redirectParams?: URLSearchParams | undefined
  /**
   * Lifetime of the session key, in seconds.
   * @default session lifetime
   */
  expirationSeconds?: number | undefined
  /**
   * For users with a second factor. `otp`: the e-mail contains a code without a link, and the factor is asked for after
   * the code. `magicLink`: the call fails with `MFA_REQUIRED` until it is repeated with `multiFactors`.
   * @default 'otp' for users with a second factor
   */
  emailMode?: 'magicLink' | 'otp' | undefined
  /** Second factor, which a link needs before it is mailed. */
  multiFactors?: readonly { multiFactorId: string; multiFactorCode: string }[] | undefined
  /** Cancels the wait for the e-mail. */
  signal?: AbortSignal | undefined
}

/** Completes a sign-in with the bundle of the e-mail link. */
export type BundleParameters = {
  type: 'email'
  bundle: string
  /** @default the organization of this browser's last requested e-mail */
  orgId?: string | undefined
  signal?: AbortSignal | undefined
}

/** Completes a sign-in with the code of this browser's last requested e-mail. */
export type CodeParameters = { type: 'email'; code: string; signal?: AbortSignal | undefined }

/** Signs in with a passkey that the user chooses among those of this site. */
export type PasskeyLoginParameters = {
  type: 'passkey'
  createNew: false
  /**
   * `conditional`: shows no prompt. The browser offers passkeys in the autofill of an `<input autocomplete="username
   * webauthn">` (WebAuthn Level 3 § 5.1.4), and the status is unchanged until the user picks one. Any other sign-in
   * ends the offer with `SUPERSEDED`; a browser without autofill support ends it with `PASSKEY_UNSUPPORTED`.
   *
   * `immediate`: shows a prompt for passkeys on the device only. If there is none, the call fails immediately with
   * `PASSKEY_CANCELLED` and shows nothing, so that an app can offer a new account instead. In a browser without
   * support, the call fails with `PASSKEY_UNSUPPORTED`. Call it from a click handler.
   */
  mediation?: 'conditional' | 'immediate' | undefined
  signal?: AbortSignal | undefined
}

/** Creates a passkey and a new user. */
export type PasskeySignupParameters = {
  type: 'passkey'
  createNew: true
  /** Name for the authenticator. Not sent to the service. */
  username: string
  creationOpts?: PasskeyCreationOptions | undefined
  signal?: AbortSignal | undefined
}

export type PasskeyParameters = PasskeyLoginParameters | PasskeySignupParameters

/** Signs in or up by an identity provider of the project. */
export type OauthParameters = {
  type: 'oauth'
  /** Id of the provider in the project, such as `google`. */
  provider: string
  /**
   * `popup`: opens a window, which browsers allow only after a click. `redirect`: leaves the page, and completes the
   * sign-in when the user returns.
   * @default 'popup'
   */
  mode?: 'popup' | 'redirect' | undefined
  /**
   * Behavior if the browser blocks the window: `redirect` leaves the page, `fail` throws `PROVIDER_WINDOW_BLOCKED`.
   * @default 'redirect'
   */
  ifBlocked?: 'redirect' | 'fail' | undefined
  /**
   * Lifetime of the session key, in seconds.
   * @default session lifetime
   */
  expirationSeconds?: number | undefined
  signal?: AbortSignal | undefined
}

export type AuthParameters = EmailParameters | BundleParameters | CodeParameters | PasskeyParameters | OauthParameters
