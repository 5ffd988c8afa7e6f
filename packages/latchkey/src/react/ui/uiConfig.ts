import type { CSSProperties } from 'react'

export type EmailOption = {
  type: 'email'
  /** Hide the button; an arrow inside the field submits instead. */
  hideButton?: boolean | undefined
  /** Default 'Continue'. */
  buttonLabel?: string | undefined
  placeholder?: string | undefined
}

export type PasskeyOption = {
  type: 'passkey'
  /** Default 'Passkey'. */
  label?: string | undefined
}

export type AuthOption = EmailOption | PasskeyOption

export type AuthUiConfig = {
  /** Heading of the first step. Default 'Sign in'. */
  header?: string | undefined
  /** Sections of options; an 'Or' divider stands between them. Default: e-mail, then passkey. */
  sections?: readonly (readonly AuthOption[])[] | undefined
  /** Extra class of the dialog. */
  className?: string | undefined
  /** Called once when a sign-in through the dialog is complete. */
  onAuthSuccess?: (() => void) | undefined
  /** Offer a passkey when somebody returns by the link of a sign-up. Default false. */
  addPasskeyOnSignup?: boolean | undefined
}

export type UiConfig = {
  auth?: AuthUiConfig | undefined
  /** Where 'Contact support' leads. Without it the words are plain text. */
  supportUrl?: string | undefined
  /** Where 'End User Terms' leads. Without it the words are plain text. */
  termsUrl?: string | undefined
}

export const defaultSections: readonly (readonly AuthOption[])[] = [[{ type: 'email' }], [{ type: 'passkey' }]]

export type ExportAccountComponentProps = {
  /** Style of the frame, in React's spelling: `{ minHeight: '120px' }`. */
  iframeCss?: CSSProperties | undefined
  className?: string | undefined
  /** From the hook. Until then nothing is seen. */
  isExported: boolean
}
