import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

export type DnsRecords = { a?: string[]; txt?: string[] }

const types = { a: 1, txt: 16 } as const

/** Starts a name server over UDP (RFC 1035 § 4.1). Tests may change `records`. */
export async function startTestDns(first: Record<string, DnsRecords> = {}) {
  const records = new Map(Object.entries(first))
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(respond(query, records), port, address))
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  return {
    server: `127.0.0.1:${port}`,
    records,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

function respond(query: Buffer, records: ReadonlyMap<string, DnsRecords>): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = query.readUInt16BE(at + 1)
  const question = query.subarray(12, at + 5)
  const known = records.get(labels.join('.').toLowerCase())
  const data =
    type === types.a
      ? (known?.a ?? []).map((address) => Buffer.from(address.split('.').map(Number)))
      : type === types.txt
        ? (known?.txt ?? []).map(toText)
        : []
  const found = data.map((content) => {
    const head = Buffer.alloc(12)
    // Pointer to the name in the question, at offset 12.
    head.writeUInt16BE(0xc00c, 0)
    head.writeUInt16BE(type, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt32BE(1, 6)
    head.writeUInt16BE(content.length, 10)
    return Buffer.concat([head, content])
  })
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  // Flags: recursion available. Response code 3 means that the name does not exist.
  head.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(found.length, 6)
  return Buffer.concat([head, question, ...found])
}

/** Encodes a text in strings of at most 255 bytes (RFC 1035 § 3.3.14). */
function toText(text: string): Buffer {
  const parts = text.match(/.{1,255}/gs) ?? ['']
  return Buffer.concat(parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part, 'latin1')]))
}
