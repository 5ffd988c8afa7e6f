import { expect, test } from 'vitest'
import { suggestWords } from './suggestWords.ts'

test('default: words that begin alike', () => {
  expect(suggestWords('test aba')).toEqual(['abandon'])
  expect(suggestWords('AB')).toEqual(['abandon', 'ability', 'able', 'about'])
  for (const text of ['', 'a', 'abandon', 'test ', 'zzz', '0xab1']) expect(suggestWords(text), text).toEqual([])
})
