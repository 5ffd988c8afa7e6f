import { type Hex, isHex, type LocalAccount, sha256, size } from 'viem'
import { english, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { CommandError } from './errors.ts'

/**
 * Returns the account of a private key or a recovery phrase (path m/44'/60'/0'/0/0). Errors never repeat the secret.
 *
 * @throws `CONFIG_INVALID`
 */
export function readKey(secret: string): LocalAccount {
  const text = secret.trim().replace(/\s+/g, ' ')
  try {
    if (isHex(text) && size(text) === 32) return privateKeyToAccount(text)
    if (/^[0-9a-f]{64}$/i.test(text)) return privateKeyToAccount(`0x${text}`)
    if (isPhrase(text)) return mnemonicToAccount(text)
  } catch {
    // The error below reports wrong words and a wrong count, without the cause, which may repeat the words.
  }
  throw new CommandError('The secret is neither a private key (0x and 64 digits) nor a valid recovery phrase.', {
    code: 'CONFIG_INVALID',
  })
}

/** Verifies the BIP-39 checksum, which viem ignores: a mistyped word would lead to another key. */
function isPhrase(text: string): boolean {
  const indexes = text.split(' ').map((word) => english.indexOf(word))
  if (![12, 15, 18, 21, 24].includes(indexes.length) || indexes.includes(-1)) return false
  const bits = indexes.map((index) => index.toString(2).padStart(11, '0')).join('')
  const length = (bits.length * 32) / 33
  const entropy: Hex = `0x${bits.slice(0, length).replace(/.{8}/g, toHexByte)}`
  const [first = 0] = sha256(entropy, 'bytes')
  return bits.slice(length) === toBits(first).slice(0, bits.length - length)
}

const toHexByte = (bits: string) => Number.parseInt(bits, 2).toString(16).padStart(2, '0')
const toBits = (byte: number) => byte.toString(2).padStart(8, '0')
