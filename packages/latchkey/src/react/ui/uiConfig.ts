export type EmailOption = {
  type: 'email'
  /** Hide the button; an arrow inside the field submits instead. */
  hideButton?: boolean
  /** Default 'Continue'. */
  buttonLabel?: string
  placeholder?: string
}

export type PasskeyOption = {
  type: 'passkey'
  /** Default 'Passkey'. */
  label?: string
}

export type AuthOption = EmailOption | PasskeyOption

export type AuthUiConfig = {
  /** Heading of the first step. Default 'Sign in'. */
  header?: string
  /** Sections of options; an 'Or' divider stands between them. Default: e-mail, then passkey. */
  sections?: readonly (readonly AuthOption[])[]
  /** Extra class of the dialog. */
  className?: string
  /** Called once when a sign-in through the dialog is complete. */
  onAuthSuccess?: () => void
  /** Offer a passkey when somebody returns by the link of a sign-up. Default false. */
  addPasskeyOnSignup?: boolean
}

export type UiConfig = {
  auth?: AuthUiConfig
  /** Where 'Contact support' leads. Without it the words are plain text. */
  supportUrl?: string
  /** Where 'End User Terms' leads. Without it the words are plain text. */
  termsUrl?: string
}

export const defaultSections: readonly (readonly AuthOption[])[] = [[{ type: 'email' }], [{ type: 'passkey' }]]
