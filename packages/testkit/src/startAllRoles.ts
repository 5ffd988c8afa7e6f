import { randomBytes, randomUUID } from 'node:crypto'
import { createServer } from '../../server/src/app/createServer.ts'
import type { Role, ServerOptions } from '../../server/src/app/options.ts'
import { bundleSigningPublicKey } from '../../server/src/keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../../server/src/keys/createApiKeyPair.ts'
import { silentLogger } from '../../server/src/platform/observability/logger.ts'
import { startTestDatabase } from './database.ts'

const hex = () => randomBytes(32).toString('hex')

export type AllRoles = Awaited<ReturnType<typeof startAllRoles>>

/** Starts all roles that handle requests, without listening, for one project whose app is at https://app.example. */
export async function startAllRoles() {
  const apiKey = 'long-enough-key'
  const database = await startTestDatabase({ migrated: true })
  const signingKey = createApiKeyPair().privateKey
  /** Starts another server on the same database. */
  const start = (roles: Role[], more?: Partial<ServerOptions>) => {
    const rootKey = createApiKeyPair()
    return createServer({
      roles,
      databaseUrl: database.url,
      rootOrganizationId: randomUUID(),
      urls: {
        custody: 'https://custody.example',
        authFrame: 'https://auth.example',
        exportFrame: 'https://export.example',
        importFrame: 'https://import.example',
      },
      projects: [
        {
          id: 'app',
          name: 'App',
          apiKey,
          redirectUrls: [],
          allowedOrigins: ['https://app.example'],
          frameSigning: 'on',
          signing: { blind: 'allow' },
        },
      ],
      custody: {
        keyEncryption: { type: 'local', key: hex() },
        rootApiPublicKey: rootKey.publicKey,
        mailSealKey: hex(),
        bundleSigningKey: signingKey,
      },
      signerApi: { custodyUrl: 'https://custody.example', apiKey: rootKey },
      gateway: {
        chains: [{ chainId: 1, nodeUrls: ['http://localhost:1'], bundlerUrls: ['http://localhost:1'] }],
        paymasterKey: { type: 'secret', key: hex() },
      },
      admin: { operatorKey: hex() },
      logger: silentLogger,
      ...more,
    })
  }
  const startPage = (page: 'auth' | 'export' | 'import') =>
    start(['frames'], { frames: { page, bundleSigningPublicKey: bundleSigningPublicKey(signingKey) } })
  const servers = {
    apis: await start(['custody', 'signer-api', 'gateway', 'admin']),
    auth: await startPage('auth'),
    export: await startPage('export'),
    import: await startPage('import'),
  }
  return {
    apiKey,
    servers,
    start,
    async close() {
      for (const server of Object.values(servers)) await server.close()
      await database.close()
    },
  }
}
