import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { root } from './deployFiles.ts'

/** Unpacks Helm from npm's package into a folder, and returns its path; `helm` where the package is not installed. */
export function unpackHelm(folder: string): string {
  const layer = join(root, 'e2e/packaging/node_modules/helm-layer/lib/layer.zip')
  if (!existsSync(layer)) return 'helm'
  const path = join(folder, 'helm')
  writeFileSync(path, readZipped(readFileSync(layer), 'helm/helm'))
  chmodSync(path, 0o755)
  return path
}

/** Reads a file of a zip archive (APPNOTE.TXT 4.3). The npm package contains Helm in such an archive. */
function readZipped(archive: Buffer, name: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'))
  let at = archive.readUInt32LE(end + 16)
  while (archive.readUInt32LE(at) === 0x02014b50) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    ) as [number, number, number]
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = archive.readUInt32LE(at + 42)
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
      return inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(at + 20)))
    }
    at += 46 + nameLength + extraLength + commentLength
  }
  throw new TypeError(`${name} is not in the archive`)
}
