import type { CSSProperties } from 'react'

export type EmailOption = {
  type: 'email'
  /** Hide the button; an arrow inside the field submits instead. */
  hideButton?: boolean | undefined
  /** @default 'Continue' */
  buttonLabel?: string | undefined
  placeholder?: string | undefined
}

export type PasskeyOption = {
  type: 'passkey'
  /** @default 'Passkey' */
  label?: string | undefined
}

export type AuthOption = EmailOption | PasskeyOption

export type AuthUiConfig = {
  /**
   * Heading of the first step.
   *
   * @default 'Sign in'
   */
  header?: string | undefined
  /**
   * Sections of options, with an 'Or' divider between them.
   *
   * @default [[{ type: 'email' }], [{ type: 'passkey' }]]
   */
  sections?: readonly (readonly AuthOption[])[] | undefined
  /** Extra class of the dialog. */
  className?: string | undefined
  /** Called once when a sign-in through the dialog is complete. */
  onAuthSuccess?: (() => void) | undefined
  /**
   * Offer a passkey when a user completes a sign-up by e-mail.
   *
   * @default false
   */
  addPasskeyOnSignup?: boolean | undefined
}

export type UiConfig = {
  auth?: AuthUiConfig | undefined
  /** URL of 'Contact support'. Without it the label is plain text. */
  supportUrl?: string | undefined
  /** URL of 'End User Terms'. Without it the label is plain text. */
  termsUrl?: string | undefined
}

export const defaultSections: readonly (readonly AuthOption[])[] = [[{ type: 'email' }], [{ type: 'passkey' }]]

export type ExportAccountComponentProps = {
  /** Style of the frame, as React writes it: `{ minHeight: '120px' }`. */
  iframeCss?: CSSProperties | undefined
  className?: string | undefined
  /** From the hook. While false the frame is hidden, but for the time in which an export waits for its confirmation. */
  isExported: boolean
}
