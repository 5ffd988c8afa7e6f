import type { CSSProperties, ReactNode } from 'react'
import type { MiddlewareConfig } from '../../wallet/middleware/types.ts'
import type { AccountSelection } from '../../wallet/owners/accountOwners.ts'

export type EmailOption = {
  type: 'email'
  /** Hides the button. An arrow inside the field submits the form instead. */
  hideButton?: boolean | undefined
  /** @default 'Continue', in the dialog's language */
  buttonLabel?: string | undefined
  /** @default 'Email', in the dialog's language */
  placeholder?: string | undefined
  /** Ignored; accepted for compatibility with the published SDK. The server determines the content of the e-mail. */
  emailMode?: 'magicLink' | 'otp' | undefined
}

export type PasskeyOption = {
  type: 'passkey'
  /** @default 'Passkey', in the dialog's language */
  label?: string | undefined
}

/** Sign-in by an identity provider that is configured for the project. */
export type SocialOption = {
  type: 'social'
  /** Id of the provider in the project, such as `google`. */
  provider: string
  /** @default the name of a well-known provider, such as 'Google'; for other providers, the id */
  name?: string | undefined
  /**
   * Icon provided by the identity provider, subject to its brand rules.
   *
   * @default the initial of the name
   */
  icon?: ReactNode | undefined
  /**
   * Sign-in window: `redirect` navigates the page to the provider instead of opening a window.
   *
   * @default 'popup'
   */
  mode?: 'popup' | 'redirect' | undefined
}

export type AuthOption = EmailOption | PasskeyOption | SocialOption

export type AuthUiConfig = {
  /**
   * Heading of the first step.
   *
   * @default 'Sign in', in the dialog's language
   */
  header?: ReactNode | undefined
  /**
   * Hides the heading of the first step. Screen readers still use it as the name of the dialog.
   *
   * @default false
   */
  hideSignInText?: boolean | undefined
  /** Your logo, above the first section. */
  brand?: ReactNode | undefined
  /**
   * Sections of options in this order, with an 'Or' divider between them.
   *
   * @default [[{ type: 'email' }], [{ type: 'passkey' }]]
   */
  sections?: readonly (readonly AuthOption[])[] | undefined
  /** Extra class of dialog and card. */
  className?: string | undefined
  /**
   * Hides the error banner of the first step, for pages that report failures themselves.
   *
   * @default false
   */
  hideError?: boolean | undefined
  /** Called once when a sign-in through the dialog is complete. */
  onAuthSuccess?: (() => void) | undefined
  /**
   * Offers a passkey after a sign-up by e-mail.
   *
   * @default false
   */
  addPasskeyOnSignup?: boolean | undefined
  /**
   * Asks for an e-mail address or a second passkey after a sign-up by passkey.
   *
   * @default false
   */
  addRecoveryOnSignup?: boolean | undefined
  /**
   * Offers a backup key after a sign-up by e-mail or passkey: a passkey or a paper key that becomes an owner of this
   * account. Deploys the account, so set a gas policy. Not for `LightAccount`, which can have only one owner.
   *
   * @default no offer
   */
  addOwnerOnSignup?: OwnerSelection | undefined
}

/** Account that gets a backup key, with the gas settings of its operations. */
export type OwnerSelection = AccountSelection & MiddlewareConfig

/** Customizable properties of `latchkey/styles.css` (`--lk-primary` is `primary`). */
export type ThemeToken =
  | 'font'
  | 'mono'
  | 'paper'
  | 'canvas'
  | 'ink'
  | 'ink-2'
  | 'ink-3'
  | 'line'
  | 'fill'
  | 'primary'
  | 'on-primary'
  | 'brass'
  | 'brass-soft'
  | 'ok'
  | 'ok-soft'
  | 'warn'
  | 'warn-soft'
  | 'bad'
  | 'bad-soft'
  | 'radius-s'
  | 'radius-m'
  | 'radius-l'
  | 'shadow'
  | 'focus'
  | 'scrim'
  | 'modal-width'

export type UiConfig = {
  auth?: AuthUiConfig | undefined
  /**
   * BCP 47 language of the dialog: `de`, `en`, `es`, `fr` or `ja`, with or without a region. Any other language falls
   * back to English.
   *
   * @default the language of the document (`<html lang>`), otherwise the browser's
   */
  locale?: string | undefined
  /** @default `data-theme` of the closest ancestor, otherwise the system's theme */
  theme?: 'light' | 'dark' | 'system' | undefined
  /**
   * CSS values that override the design's defaults. For a color that differs in dark mode, use `light-dark(#14161a,
   * #f2f1ed)`.
   */
  tokens?: { readonly [token in ThemeToken]?: string } | undefined
  /** @default 'outline' */
  illustrationStyle?: 'outline' | 'linear' | 'filled' | 'flat' | undefined
  /** Extra class of the dialog. Not applied to `AuthCard`. */
  modalBaseClassName?: string | undefined
  /**
   * `embedded`: the page shows `<AuthCard />`, and the dialog does not open automatically.
   *
   * @default 'modal'
   */
  uiMode?: 'modal' | 'embedded' | undefined
  /** URL of 'Contact support'. Without it, the sentence about terms is omitted. */
  supportUrl?: string | undefined
  /**
   * URL of 'End User Terms'. Without it, the label is plain text.
   *
   * @default the hosted provider's terms if the hosted provider signs users in; none with your own server
   */
  termsUrl?: string | undefined
  /**
   * Shows 'powered by Latchkey' below the form.
   *
   * @default true
   */
  poweredBy?: boolean | undefined
}

export const defaultSections: readonly (readonly AuthOption[])[] = [[{ type: 'email' }], [{ type: 'passkey' }]]

export type ExportAccountComponentProps = {
  /** Style of the frame, in React's form: `{ minHeight: '120px' }`. */
  iframeCss?: CSSProperties | undefined
  className?: string | undefined
  /**
   * Value returned by the hook. While false, the frame is hidden, unless an export is waiting for the user's
   * confirmation.
   */
  isExported: boolean
}
