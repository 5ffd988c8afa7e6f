import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

export type TestCertificate = { key: string; cert: string }

/** Creates a self-signed CA certificate (X.509, RFC 5280 § 4.1; DER, X.690). */
export function makeCertificate({
  hosts,
  from = new Date(Date.now() - 86_400_000),
  until = new Date(Date.now() + 90 * 86_400_000),
}: {
  hosts: readonly string[]
  from?: Date
  until?: Date
}): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))
  const name = sequence(tag(0x31, sequence(oid([0x55, 0x04, 0x03]), tag(0x0c, Buffer.from(hosts[0] ?? 'test')))))
  const names = sequence(...hosts.map((host) => tag(0x82, Buffer.from(host))))
  const basic = sequence(tag(0x01, Buffer.from([0xff])))
  const extensions = sequence(
    sequence(oid([0x55, 0x1d, 0x11]), tag(0x04, names)),
    sequence(oid([0x55, 0x1d, 0x13]), tag(0x01, Buffer.from([0xff])), tag(0x04, basic)),
  )
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, extensions),
  )
  const signature = createSign('sha256').update(body).sign(privateKey)
  const der = sequence(body, algorithm, tag(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

const sequence = (...parts: Buffer[]) => tag(0x30, Buffer.concat(parts))
const oid = (bytes: number[]) => tag(0x06, Buffer.from(bytes))
const time = (date: Date) => tag(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, '')))

function tag(type: number, content: Buffer): Buffer {
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([type, ...head]), content])
}
