export type EmailOption = {
  type: 'email'
  /** Hide the button; an arrow inside the field submits instead. */
  hideButton?: boolean
  /** Default 'Continue'. */
  buttonLabel?: string
  placeholder?: string
}

export type AuthOption = EmailOption

export type AuthUiConfig = {
  /** Heading of the first step. Default 'Sign in'. */
  header?: string
  /** Sections of options; an 'Or' divider stands between them. Default: e-mail. */
  sections?: readonly (readonly AuthOption[])[]
  /** Extra class of the dialog. */
  className?: string
  /** Called once when a sign-in through the dialog is complete. */
  onAuthSuccess?: () => void
  addPasskeyOnSignup?: boolean
}

export type UiConfig = {
  auth?: AuthUiConfig
  supportUrl?: string
  /** Where 'End User Terms' leads. Without it the words are plain text. */
  termsUrl?: string
}

export const defaultSections: readonly (readonly AuthOption[])[] = [[{ type: 'email' }]]
