import { hex } from '@scure/base'
import { wordlist } from '@scure/bip39/wordlists/english'
import { isMnemonic } from './isMnemonic.ts'

/** What a person has typed so far. Help texts never repeat it. */
export type Typed =
  | { kind: 'nothing' }
  | { kind: 'phrase'; phrase: string }
  | { kind: 'key'; key: Uint8Array }
  | { kind: 'unfinished'; help: string }
  | { kind: 'wrong'; help: string }

const words = new Set(wordlist)
const counts = [12, 15, 18, 21, 24]
/** What comes along when text is copied from a page or a document, and nobody sees: between words, and within them. */
const unseenGaps = /[\u200b\p{Cc}]/gu
const unseen = /\p{Cf}/gu
/** Order of secp256k1: a private key is below it. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Reads a private key (64 hexadecimal digits, `0x` before them or not) or an English seed phrase (BIP-39), however they
 * were copied: on several lines, numbered, with commas, in capitals, with characters that nobody sees.
 */
export function readSecret(text: string): Typed {
  const plain = text.normalize('NFKD').replace(unseenGaps, ' ').replace(unseen, '').trim().toLowerCase()
  if (plain === '') return { kind: 'nothing' }
  const digits = /^(?:0x)?([0-9a-f]*)$/.exec(plain.replace(/\s+/g, ''))?.[1]
  // "a" to "f" alone are also the beginnings of words.
  if (digits !== undefined && (plain.startsWith('0x') || /\d/.test(digits))) return readKey(digits)
  return readPhrase(splitWords(plain))
}

/** The words of a seed phrase, without the numbers a list of them may have. */
function splitWords(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^\d+[.):]*/, ''))
    .filter((word) => word !== '')
}

function readKey(digits: string): Typed {
  if (digits.length < 64) return { kind: 'unfinished', help: `${digits.length} of the 64 digits of a private key` }
  if (digits.length > 64) return wrong('A private key has 64 digits; these are more')
  const value = BigInt(`0x${digits}`)
  if (value === 0n || value >= order) return wrong('These digits are no private key')
  return { kind: 'key', key: hex.decode(digits) }
}

function readPhrase(typed: string[]): Typed {
  const unknown = typed.findIndex((word) => !words.has(word))
  // The last word may still be on its way.
  const isTyping = unknown >= 0 && unknown === typed.length - 1 && isBeginning(typed[unknown] ?? '')
  const count = isTyping ? unknown : typed.length
  if (unknown >= 0 && !isTyping) return wrong(`Word ${unknown + 1} is not a word of seed phrases. Check its spelling`)
  if (typed.length > 24) return wrong('A seed phrase has at most 24 words; these are more')
  if (isTyping || !counts.includes(count)) {
    const help = `${count} ${count === 1 ? 'word' : 'words'}; a seed phrase has 12, 15, 18, 21 or 24`
    return { kind: 'unfinished', help }
  }
  if (!isMnemonic(typed)) return wrong(`These ${count} words do not belong together. Check their order and spelling`)
  return { kind: 'phrase', phrase: typed.join(' ') }
}

function isBeginning(text: string): boolean {
  return wordlist.some((word) => word.startsWith(text))
}

function wrong(help: string): Typed {
  return { kind: 'wrong', help }
}
