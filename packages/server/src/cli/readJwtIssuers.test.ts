import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readJwtIssuers } from './readJwtIssuers.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-issuers-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const issuer = {
  projectId: 'shop',
  issuer: 'https://id.example',
  audience: 'wallet',
  algorithms: ['ES256'],
  keys: { url: 'https://id.example/jwks.json' },
}

function read(content: string) {
  const path = join(folder, 'issuers.json')
  writeFileSync(path, content)
  const problems: string[] = []
  return { issuers: readJwtIssuers(path, problems), problems }
}

test('default', () => {
  expect(read(JSON.stringify([issuer]))).toEqual({ issuers: [issuer], problems: [] })
  expect(readJwtIssuers(undefined, [])).toBeUndefined()
})

test('error: what is no list of issuers', () => {
  for (const [content, text] of [
    ['', 'cannot be read as JSON'],
    ['{}', 'its start'],
    [JSON.stringify([{ ...issuer, algorithms: ['none'] }]), '0.algorithms'],
    [JSON.stringify([{ ...issuer, algorithms: ['HS256'] }]), '0.algorithms'],
    [JSON.stringify([{ ...issuer, audience: undefined }]), '0.audience'],
    [JSON.stringify([{ ...issuer, keys: {} }]), '0.keys'],
  ] as const)
    expect(read(content)).toEqual({ issuers: undefined, problems: [expect.stringContaining(text)] })
})
