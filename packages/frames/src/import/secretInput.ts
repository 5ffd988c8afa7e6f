import { sha256 } from '@noble/hashes/sha2.js'
import { hex } from '@scure/base'
import { wordlist } from '@scure/bip39/wordlists/english'
import { FrameError } from '../FrameError.ts'

/** Parsed input. Help texts never repeat the input. */
export type Typed =
  | { kind: 'nothing' }
  | { kind: 'phrase'; phrase: string }
  | { kind: 'key'; key: Uint8Array }
  | { kind: 'unfinished'; help: string }
  | { kind: 'wrong'; help: string }

const words = new Set(wordlist)
const counts = [12, 15, 18, 21, 24]
/** Invisible characters in copied text, between or within words. */
const invisibleGaps = /[\u200b\p{Cc}]/gu
const invisible = /\p{Cf}/gu
/** Order of secp256k1. Private keys are smaller. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Parses a private key (64 hexadecimal digits, with or without `0x`) or an English seed phrase (BIP-39). Accepts
 * several lines, numbered words, commas, capitals and invisible characters.
 */
export function readSecret(text: string): Typed {
  const plain = text.normalize('NFKD').replace(invisibleGaps, ' ').replace(invisible, '').trim().toLowerCase()
  if (plain === '') return { kind: 'nothing' }
  const digits = /^(?:0x)?([0-9a-f]*)$/.exec(plain.replace(/\s+/g, ''))?.[1]
  // Text with only the letters "a" to "f" may be the start of a word.
  if (digits !== undefined && (plain.startsWith('0x') || /\d/.test(digits))) return readKey(digits)
  return readPhrase(splitWords(plain))
}

/** Returns the words of a seed phrase, without list numbers. */
function splitWords(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^\d+[.):]*/, ''))
    .filter((word) => word !== '')
}

function readKey(digits: string): Typed {
  if (digits.length < 64) return { kind: 'unfinished', help: `${digits.length} of the 64 digits of a private key` }
  if (digits.length > 64) return wrong('A private key has 64 digits; this is longer')
  const value = BigInt(`0x${digits}`)
  if (value === 0n || value >= order) return wrong('This is not a valid private key')
  return { kind: 'key', key: hex.decode(digits) }
}

function readPhrase(typed: string[]): Typed {
  const unknown = typed.findIndex((word) => !words.has(word))
  // The last word may be incomplete.
  const isTyping = unknown >= 0 && unknown === typed.length - 1 && isBeginning(typed[unknown] ?? '')
  const count = isTyping ? unknown : typed.length
  if (unknown >= 0 && !isTyping) return wrong(`Word ${unknown + 1} is not used in recovery phrases. Check its spelling`)
  if (typed.length > 24) return wrong('A recovery phrase has at most 24 words')
  if (isTyping || !counts.includes(count)) {
    const help = `${count} ${count === 1 ? 'word' : 'words'}; a recovery phrase has 12, 15, 18, 21 or 24`
    return { kind: 'unfinished', help }
  }
  if (!isMnemonic(typed))
    return wrong(`These ${count} words are not a valid recovery phrase. Check their order and spelling`)
  return { kind: 'phrase', phrase: typed.join(' ') }
}

function isBeginning(text: string): boolean {
  return wordlist.some((word) => word.startsWith(text))
}

function wrong(help: string): Typed {
  return { kind: 'wrong', help }
}

/**
 * Checks whether English words are a mnemonic (BIP-39): 12, 15, 18, 21 or 24 words of 11 bits each. The checksum is the
 * last 33rd of the bits, the start of the SHA-256 of the other bits.
 */
export function isMnemonic(words: readonly string[]): boolean {
  if (words.length < 12 || words.length > 24 || words.length % 3 !== 0) return false
  const indexes = words.map((word) => wordlist.indexOf(word))
  if (indexes.includes(-1)) return false
  const bits = indexes.map((index) => index.toString(2).padStart(11, '0')).join('')
  const checksumLength = words.length / 3
  const entropy = bits.slice(0, -checksumLength).match(/.{8}/g) ?? []
  const hash = sha256(Uint8Array.from(entropy, (byte) => Number.parseInt(byte, 2)))
  return (hash[0] ?? 0).toString(2).padStart(8, '0').startsWith(bits.slice(-checksumLength))
}

/** Returns words that start with the last typed word. Returns none after its first letter, or once it is complete. */
export function suggestWords(text: string): string[] {
  const last = /[a-z]{2,}$/i.exec(text)?.[0].toLowerCase()
  if (!last) return []
  const found = wordlist.filter((word) => word.startsWith(last))
  return found.length > 1 || found[0] !== last ? found.slice(0, 4) : []
}

/** Separates a seed phrase from its passphrase. */
const separator = '\n--PASS--\n'

/**
 * Returns the bytes to encrypt: a seed phrase as UTF-8 text, with the passphrase if there is one, or the 32 bytes of a
 * private key. Throws for incomplete input or the wrong type of secret; error messages do not repeat the input.
 */
export function toPlaintext(
  { typed, passphrase }: { typed: Typed; passphrase: string },
  wanted: 'phrase' | 'key',
  keyFormat: unknown,
): Uint8Array {
  if (keyFormat !== undefined && keyFormat !== 'HEXADECIMAL') {
    throw new FrameError('unsupported key format: this frame takes keys as HEXADECIMAL')
  }
  if (typed.kind === 'nothing') throw new FrameError('Nothing has been entered yet')
  if (typed.kind === 'unfinished' || typed.kind === 'wrong') throw new FrameError(typed.help)
  if (typed.kind !== wanted) {
    const [given, asked] = wanted === 'key' ? ['recovery phrase', 'private key'] : ['private key', 'recovery phrase']
    throw new FrameError(`This is a ${given}; the app asks for a ${asked}`)
  }
  if (typed.kind === 'key') return typed.key
  return new TextEncoder().encode(passphrase === '' ? typed.phrase : `${typed.phrase}${separator}${passphrase}`)
}
