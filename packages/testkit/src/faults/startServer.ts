import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { createApiKeyPair } from '../../../server/src/keys/createApiKeyPair.ts'
import { startTestSmtp } from '../smtp.ts'
import type { Place } from './person.ts'
import { startRole } from './startRole.ts'

export type Server = Awaited<ReturnType<typeof startServer>>

/**
 * Starts custody, signer API and mail in one process on a migrated database. For a copied database, pass the original
 * server's `keys`.
 */
export async function startServer(parameters: { databaseUrl: string; folder: string; keys?: Record<string, string> }) {
  const { databaseUrl, folder, keys = createKeys() } = parameters
  const port = await freePorts(1)
  const url = `http://localhost:${String(port)}`
  const apiKey = `app-${randomUUID()}`
  const lists = { redirectUrls: ['http://localhost:1/'], allowedOrigins: [] }
  // Users of these tests sign digests.
  const project = { id: 'app', name: 'App', apiKey, ...lists, signing: { blind: 'allow' } }
  writeFileSync(join(folder, 'projects.json'), JSON.stringify([project]))
  const smtp = await startTestSmtp()
  const environment = {
    ...keys,
    DATABASE_URL: databaseUrl,
    LATCHKEY_MODE: 'development',
    LATCHKEY_PROJECTS_FILE: join(folder, 'projects.json'),
    LATCHKEY_SMTP_URL: smtp.url,
    LATCHKEY_MAIL_FROM: 'App <no-reply@app.example>',
    LATCHKEY_CUSTODY_URL: url,
    LATCHKEY_AUTH_FRAME_URL: 'http://localhost:2',
    LATCHKEY_EXPORT_FRAME_URL: 'http://localhost:3',
    LATCHKEY_IMPORT_FRAME_URL: 'http://localhost:3',
  }
  const role = await startRole({ name: 'custody,signer-api,mail', port, databaseUrl, environment })
  await role.ready()
  const place: Place = {
    apiKey,
    bundleSigner: '',
    smtp,
    secrets: new Set(),
    ways: { custody: { url }, signerApi: { url } },
  }
  return {
    place,
    environment: environment as Record<string, string>,
    output: role.output,
    async close() {
      await role.close()
      await smtp.close()
    },
  }
}

function createKeys(): Record<string, string> {
  const root = createApiKeyPair()
  return {
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_MAIL_SEAL_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_ROOT_API_PUBLIC_KEY: root.publicKey,
    LATCHKEY_ROOT_API_PRIVATE_KEY: root.privateKey,
  }
}
