import { french } from './french.ts'
import { german } from './german.ts'
import { japanese } from './japanese.ts'
import { spanish } from './spanish.ts'

/** Returns a text in the page's language. A text without a translation, such as a name or an address, stays as it is. */
export type Translate = (text: string) => string

const dictionaries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: german,
  es: spanish,
  fr: french,
  ja: japanese,
}

/** Returns the first of the browser's languages in which the page has texts, or else English. */
export function findLanguage(languages: readonly string[]): string {
  const known = languages.map((tag) => tag.toLowerCase().split('-')[0] ?? '')
  return known.find((language) => language === 'en' || Object.hasOwn(dictionaries, language)) ?? 'en'
}

/** Creates the translator of a language. Numbers in a text stay, in their order. */
export function createTranslate(language: string): Translate {
  const dictionary = dictionaries[language] ?? {}
  return (text) => {
    const numbers: string[] = []
    const key = text.replace(/\d+(?:\.\d+)?/g, (number) => {
      numbers.push(number)
      return '#'
    })
    const found = Object.hasOwn(dictionary, key) ? dictionary[key] : undefined
    return found?.replace(/#/g, () => numbers.shift() ?? '') ?? text
  }
}

/** Fills in the values of a text's placeholders, such as `{to}`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}
