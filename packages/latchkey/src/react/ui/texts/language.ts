import type { ErrorCode } from 'latchkey-protocol'
import { createContext, type ReactNode, useContext } from 'react'
import { english } from './english.ts'

/** Dictionary with the keys of the English texts. */
export type Texts = { readonly [key in keyof typeof english]: string }

/** Text for each plural form of the language (`Intl.PluralRules`). */
export type Plural = { readonly other: string } & { readonly [form in Intl.LDMLPluralRule]?: string }

/**
 * Errors with their own text in each dictionary. Other errors are shown as `errorFallback`, with the error's message
 * under 'Details'.
 */
export type ShownError = Extract<
  ErrorCode,
  | 'ACCOUNT_UNPROVEN'
  | 'API_KEY_EXPIRED'
  | 'BUNDLE_INJECTION_FAILED'
  | 'CHUNK_FAILED'
  | 'CONFIRMATION_EXPIRED'
  | 'CONFIRMATION_REFUSED'
  | 'CREDENTIAL_CONFLICT'
  | 'CREDENTIAL_NOT_FOUND'
  | 'EMAIL_INIT_SESSION_MISSING'
  | 'EMAIL_NEEDED'
  | 'ENDPOINTS_CHANGED'
  | 'FRAME_FAILED'
  | 'FRAME_LOST'
  | 'FRAME_TIMEOUT'
  | 'HTTP_FAILED'
  | 'INVALID_EMAIL'
  | 'LINK_EXPIRED'
  | 'LINK_HANDED_OVER'
  | 'LINK_TAB_GONE'
  | 'MAIL_UNAVAILABLE'
  | 'MFA_INVALID'
  | 'NETWORK_UNREACHABLE'
  | 'NO_USER_FOUND'
  | 'ORGANIZATION_DELETING'
  | 'OIDC_TOKEN_INVALID'
  | 'OTP_EXPIRED'
  | 'OTP_INVALID'
  | 'PASSKEY_CANCELLED'
  | 'PASSKEY_EXISTS'
  | 'PASSKEY_FAILED'
  | 'PASSKEY_PRESS_NEEDED'
  | 'PASSKEY_TIMEOUT'
  | 'PASSKEY_UNSUPPORTED'
  | 'PROVIDER_WINDOW_BLOCKED'
  | 'PROVIDER_WINDOW_CLOSED'
  | 'RATE_LIMIT_EXCEEDED'
  | 'REQUEST_NOT_AUTHORIZED'
  | 'SESSION_EXPIRED'
  | 'SIGNER_CONFLICT'
  | 'STORAGE_FAILED'
  | 'TIMEOUT'
>

export type ErrorTexts = { readonly [code in ShownError]: string } & {
  /** Text with the number of remaining attempts. `OTP_INVALID` is the text without the number. */
  readonly attemptsLeft: Plural
}

/** Texts in a language other than English. Each dictionary is a separate chunk. */
export type Dictionary = { readonly texts: Texts; readonly errors: ErrorTexts }

export type Language = {
  /** BCP 47 tag: for numbers, dates and screen readers. */
  readonly locale: string
  readonly texts: Texts
  /** Null if the errors' own messages are in this language. */
  readonly errors: ErrorTexts | null
}

export const inEnglish = (locale = 'en'): Language => ({ locale, texts: english, errors: null })

export const LanguageContext = createContext<Language>(inEnglish())

/** Returns the language of the surrounding dialog. */
export function useLanguage(): Language {
  return useContext(LanguageContext)
}

/** Replaces each `{name}` in `template` with its value. Languages differ in the order of the names. */
export function fill(template: string, values: { readonly [name: string]: string }): string {
  return template.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all)
}

/** Works like `fill`, but the values are React elements with keys. */
export function fillNodes(template: string, values: { readonly [name: string]: ReactNode }): ReactNode[] {
  // `split` with a capture group alternates between texts and names.
  return template.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : values[part]))
}

/** Returns the form of `plural` for `count`, with the number formatted for the locale. */
export function fillCount(plural: Plural, count: number, locale: string): string {
  const text = plural[new Intl.PluralRules(locale).select(count)] ?? plural.other
  return fill(text, { count: new Intl.NumberFormat(locale).format(count) })
}

const hourMs = 3_600_000

/** Formats a duration: `30 seconds`, `2 minutes`, `24 hours`. */
export function formatDuration(ms: number, locale: string): string {
  const [count, unit] =
    ms < 90_000
      ? [Math.ceil(ms / 1000), 'second']
      : ms < 2 * hourMs
        ? [Math.ceil(ms / 60_000), 'minute']
        : [Math.ceil(ms / hourMs), 'hour']
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

export function formatDay(ms: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(ms)
}

export function formatTime(ms: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(ms)
}
