import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { p256 } from '@noble/curves/nist.js'
import { readHex } from '../platform/crypto/encodings.ts'
import { parseKey } from '../platform/crypto/parseKey.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
const magic = Uint8Array.from(Buffer.from('latchkey project 1\n'))
const encBytes = 65
const lengthBytes = 4
/** Maximum size of one sealed message. */
const maxMessageBytes = 64 * 2 ** 20

/**
 * Seals messages to a P-256 key by HPKE (RFC 9180) in base mode, with one context. Nonces are numbered, so no message
 * can be changed, omitted, repeated or moved. The messages themselves must mark the end. Layout: a line | ephemeral key
 * (65) | for each message its length (4, big endian) and ciphertext. `publicKey`: compressed or not, hex.
 *
 * @throws `CONFIG_INVALID` for an invalid key.
 */
export async function* sealMessages(
  publicKey: string,
  messages: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const recipientPublicKey = await suite.kem.deserializePublicKey(readPoint(publicKey).buffer)
  const sender = await suite.createSenderContext({ recipientPublicKey, info: magic.buffer })
  yield Uint8Array.of(...magic, ...new Uint8Array(sender.enc))
  for await (const message of messages) {
    const ciphertext = new Uint8Array(await sender.seal(Uint8Array.from(message).buffer))
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32BE(ciphertext.length)
    yield length
    yield ciphertext
  }
}

/**
 * Opens a file of {@link sealMessages} message by message. `privateKey`: 32 bytes, hex.
 * @throws `CONFIG_INVALID` for a wrong key, changed bytes, or a truncated message.
 */
export async function* openMessages(
  privateKey: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const reader = createByteReader(bytes)
  const head = await reader.read(magic.length + encBytes)
  if (!head || !Buffer.from(magic).equals(head.subarray(0, magic.length)))
    throw configInvalid('The file is not an exported project.')
  const key = parseKey(privateKey, 'The key of the ticket')
  const recipient = await suite
    .createRecipientContext({
      recipientKey: await suite.kem.deserializePrivateKey(Uint8Array.from(key).buffer),
      enc: Uint8Array.from(head.subarray(magic.length)).buffer,
      info: magic.buffer,
    })
    .catch((cause: unknown) => Promise.reject(damaged(cause)))
  for (;;) {
    const length = await reader.read(lengthBytes)
    if (!length) return
    const size = length.readUInt32BE()
    const ciphertext = size <= maxMessageBytes ? await reader.read(size) : undefined
    if (!ciphertext) throw damaged()
    yield await recipient.open(Uint8Array.from(ciphertext).buffer).then(
      (message) => new Uint8Array(message),
      (cause: unknown) => Promise.reject(damaged(cause)),
    )
  }
}

function damaged(cause?: unknown): Error {
  return configInvalid('The file was changed or cut off, or was sealed to another ticket.', cause)
}

function readPoint(hex: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(p256.Point.fromBytes(readHex(hex) ?? new Uint8Array()).toBytes(false))
  } catch (cause) {
    throw configInvalid('The key of the ticket must be a point of P-256 in hex, as `move ticket` writes it.', cause)
  }
}

function createByteReader(bytes: AsyncIterable<Uint8Array>) {
  const source = bytes[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  return {
    /** Reads exactly the given number of bytes; undefined at the end. Throws on truncation. */
    async read(count: number): Promise<Buffer | undefined> {
      if (rest.length >= count) {
        const part = rest.subarray(0, count)
        rest = rest.subarray(count)
        return part
      }
      const parts = [rest]
      for (let size = rest.length; size < count; ) {
        const { value, done } = await source.next()
        if (done && size === 0) return undefined
        if (done) throw damaged()
        parts.push(Buffer.from(value))
        size += value.length
      }
      const all = Buffer.concat(parts)
      rest = all.subarray(count)
      return all.subarray(0, count)
    },
  }
}
