import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { english } from './english.ts'
import { type Dictionary, fill, fillCount, fillNodes, formatDuration } from './language.ts'
import { findLocale, languages } from './loadLanguage.ts'

const dictionaries = await Promise.all(
  Object.entries(languages).map(async ([locale, row]): Promise<[string, Dictionary]> => [locale, await row.load()]),
)
const [first] = dictionaries

/** Words that are the same in English. */
const shared: { [locale: string]: string[] } = {
  de: ['passkey', 'passkeyName', 'details'],
  es: ['error'],
  fr: [],
  ja: [],
}

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

describe.each(dictionaries)('%s', (locale, { texts, errors }) => {
  test('has every key of English and no empty text', () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort())
    expect(Object.keys(errors).sort()).toEqual(Object.keys(first?.[1].errors ?? {}).sort())
    for (const text of [
      ...Object.values(texts),
      ...Object.values({ ...errors, ...errors.attemptsLeft }).filter((value) => typeof value === 'string'),
    ])
      expect(text.trim()).not.toBe('')
  })

  test('translates every text except shared words', () => {
    const same = Object.entries(english).filter(([key, text]) => texts[key as keyof typeof texts] === text)
    expect(same.map(([key]) => key)).toEqual(shared[locale])
  })

  test('keeps the placeholders of English', () => {
    for (const [key, text] of Object.entries(english))
      expect([key, namesIn(texts[key as keyof typeof texts])]).toEqual([key, namesIn(text)])
  })

  test('has a text with its number for every plural form', () => {
    const { one, other, ...further } = errors.attemptsLeft
    expect(further).toEqual({})
    const forms = new Set([0, 1, 2, 3, 4, 5].map((count) => new Intl.PluralRules(locale).select(count)))
    expect([...forms].sort()).toEqual(one === undefined ? ['other'] : ['one', 'other'])
    for (const count of [0, 1, 4]) expect(fillCount(errors.attemptsLeft, count, locale)).toContain(String(count))
    expect(other).toContain('{count}')
  })
})

test('contains only texts that the dialog uses', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.test\.|^texts\//.test(path),
  )
  const source = files.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n')
  // The code builds these keys from the reason why a link failed.
  const named = [...source.matchAll(/\btexts\[`\$\{reason\}(\w+)`\]/g)].flatMap(([, part]) =>
    ['elsewhere', 'gone', 'spent'].map((reason) => reason + part),
  )
  const isUsed = (key: string) => named.includes(key) || new RegExp(`\\btexts\\.${key}\\b`).test(source)
  const unused = Object.keys(english).filter((key) => !isUsed(key))
  expect(unused).toEqual([])
})

test('fills placeholders in any order and keeps unknown ones', () => {
  expect(fill('{b} of {a}, {c}', { a: 'one', b: 'two' })).toBe('two of one, {c}')
  expect(fillNodes('To {email}.', { email: 'x' })).toEqual(['To ', 'x', '.'])
  expect(fill('{a}', { a: '{b} $&', b: 'no' })).toBe('{b} $&')
})

test('formats durations in the language', () => {
  expect([formatDuration(1_000, 'en'), formatDuration(29_500, 'de')]).toEqual(['1 second', '30 Sekunden'])
  expect([formatDuration(89_000, 'ja'), formatDuration(90_000, 'es')]).toEqual(['89 秒', '2 minutos'])
})

describe('findLocale', () => {
  test('uses the language of the page, with the region of the browser if it matches', () => {
    expect(findLocale({ page: 'fr', browser: ['de', 'en'] })).toBe('fr')
    expect(findLocale({ page: 'de', browser: ['en-US', 'de-AT'] })).toBe('de-AT')
    expect(findLocale({ page: 'en', browser: ['en-GB'] })).toBe('en-GB')
    expect(findLocale({ page: 'it', browser: ['de'] })).toBe('en')
  })

  test('uses the first supported language of the browser when the page names none', () => {
    expect(findLocale({ page: '', browser: ['it-IT', 'ja-JP', 'de'] })).toBe('ja-JP')
    expect(findLocale({ browser: ['it', 'pt'] })).toBe('en')
    expect(findLocale({})).toBe('en')
  })

  test('prefers the option', () => {
    expect(findLocale({ option: 'es-MX', page: 'de', browser: ['fr'] })).toBe('es-MX')
    expect(findLocale({ option: 'de_CH', page: 'fr' })).toBe('de-CH')
    expect(findLocale({ option: 'it', page: 'de', browser: ['de'] })).toBe('en')
  })

  test('falls back to English for an invalid language', () => {
    for (const option of ['!!', 'constructor', 'de-', '__proto__', 'toString'])
      expect([option, findLocale({ option, browser: ['de'] })]).toEqual([option, 'en'])
    expect(findLocale({ browser: ['*', 'C', 'fr'] })).toBe('fr')
  })
})
