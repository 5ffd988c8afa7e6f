import { useEffect, useState } from 'react'
import { createChunk } from '../../../core/createChunk.ts'
import { inEnglish, type Language } from './language.ts'

/** Timeout for loading a dictionary. Afterwards, the dialog is in English. */
const timeoutMs = 8_000

/**
 * Supported languages. Each dictionary is a chunk, so a page loads only the dialog's language. English needs no chunk.
 */
export const languages = {
  de: /* @__PURE__ */ createChunk({
    name: 'German',
    timeoutMs,
    import: async () => (await import('./german.ts')).german,
  }),
  es: /* @__PURE__ */ createChunk({
    name: 'Spanish',
    timeoutMs,
    import: async () => (await import('./spanish.ts')).spanish,
  }),
  fr: /* @__PURE__ */ createChunk({
    name: 'French',
    timeoutMs,
    import: async () => (await import('./french.ts')).french,
  }),
  ja: /* @__PURE__ */ createChunk({
    name: 'Japanese',
    timeoutMs,
    import: async () => (await import('./japanese.ts')).japanese,
  }),
}

type Row = keyof typeof languages

export declare namespace findLocale {
  type Parameters = {
    /**
     * Language set by the app. Takes precedence over `page` and `browser`; an unsupported language falls back to
     * English.
     */
    option?: string | undefined
    /** The `lang` of the document, so that the dialog matches the page. */
    page?: string | undefined
    /** Languages of the browser, preferred one first, for a page without `lang`. */
    browser?: readonly string[] | undefined
  }
  /** BCP 47 tag, with the region if known. */
  type ReturnType = string
}

export function findLocale({ option, page, browser = [] }: findLocale.Parameters): findLocale.ReturnType {
  const wanted = option || page
  const candidates = (wanted ? [wanted] : browser).flatMap((tag) => toTag(tag) ?? [])
  const locale = candidates.find((tag) => isRow(toLanguage(tag)) || toLanguage(tag) === 'en') ?? 'en'
  // A tag without a region is replaced by the browser's tag, because the region determines the date format.
  const isWhole = locale !== toLanguage(locale)
  return isWhole ? locale : (browser.find((tag) => toTag(tag) && toLanguage(tag) === locale) ?? locale)
}

const toLanguage = (tag: string) => tag.split('-')[0] ?? ''

const isRow = (language: string): language is Row => Object.hasOwn(languages, language)

/** Returns a normalized BCP 47 tag; undefined for an invalid one. */
function toTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

function currentLocale(option: string | undefined): string {
  return findLocale({ option, page: document.documentElement.lang, browser: navigator.languages })
}

/** Preloads the language of the dialog. */
export function prefetchLanguage(option: string | undefined): void {
  const row = toLanguage(currentLocale(option))
  if (isRow(row)) languages[row].prefetch()
}

/** Returns the language of the dialog; null while its dictionary loads. Returns English if loading fails. */
export function useLoadedLanguage(option: string | undefined): Language | null {
  const locale = currentLocale(option)
  const [shown, setShown] = useState(() => ({ locale, language: loadedLanguage(locale) }))
  const isLoaded = shown.locale === locale && shown.language !== null
  useEffect(() => {
    if (isLoaded) return
    let isCurrent = true
    loadLanguage(locale).then((language) => isCurrent && setShown({ locale, language }))
    return () => {
      isCurrent = false
    }
  }, [locale, isLoaded])
  // Keeps the previous language until the new dictionary has loaded, so that the dialog stays open.
  return shown.language
}

async function loadLanguage(locale: string): Promise<Language> {
  const row = toLanguage(locale)
  if (!isRow(row)) return inEnglish(locale)
  return languages[row].load().then(
    (dictionary) => ({ locale, ...dictionary }),
    () => inEnglish(),
  )
}

function loadedLanguage(locale: string): Language | null {
  const row = toLanguage(locale)
  if (!isRow(row)) return inEnglish(locale)
  const dictionary = languages[row].loaded()
  return dictionary ? { locale, ...dictionary } : null
}
