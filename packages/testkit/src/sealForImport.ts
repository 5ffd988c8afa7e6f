import { hpkeSeal } from '../../server/src/custody/bundles/hpke.ts'

/** Encrypts a secret to the key in a bundle, like the import frame. */
export async function sealForImport(
  { importBundle }: { importBundle: string },
  plaintext: Uint8Array,
): Promise<string> {
  const { data } = JSON.parse(importBundle) as { data: string }
  const { targetPublic } = JSON.parse(Buffer.from(data, 'hex').toString()) as { targetPublic: string }
  const { enc, ciphertext } = await hpkeSeal({ recipientPublicKey: Buffer.from(targetPublic, 'hex'), plaintext })
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  return JSON.stringify({ encappedPublic: hex(enc), ciphertext: hex(ciphertext) })
}
