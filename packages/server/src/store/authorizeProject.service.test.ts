import { startTestDatabase } from '@latchkey/testkit/database'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../platform/database/openStore.ts'
import { authorizeProject, type ConfiguredAccess, createProjectFinder } from './authorizeProject.ts'
import { upsertProject } from './upsertProject.ts'

describe('authorizeProject', () => {
  const project = {
    id: 'one',
    name: 'One',
    redirectUrls: [],
    allowedOrigins: ['https://one.example'],
    organizationId: null,
    logoUrl: null,
    hidesAccounts: false,
  }
  const authorize = (changes: Partial<authorizeProject.Parameters>) =>
    authorizeProject({
      find: async (apiKey) => (apiKey === 'key-of-one' ? project : null),
      authorization: undefined,
      origin: undefined,
      hint: 'Send it so.',
      ...changes,
    })

  test('finds the project of a bearer and origin', async () => {
    expect(await authorize({ authorization: 'Bearer key-of-one', origin: 'https://one.example' })).toBe(project)
  })

  test('accepts callers without an origin, any case of the scheme and keys from elsewhere', async () => {
    expect(await authorize({ authorization: 'bearer key-of-one' })).toBe(project)
    expect(await authorize({ apiKey: 'key-of-one', authorization: 'Bearer other' })).toBe(project)
  })
})

describe('createProjectFinder', () => {
  let database: Awaited<ReturnType<typeof startTestDatabase>>
  let store: Store
  beforeAll(async () => {
    database = await startTestDatabase({ migrated: true })
    store = await openStore({ databaseUrl: database.url })
    const project = { id: 'app', name: 'App', redirectUrls: [], allowedOrigins: [] }
    await upsertProject(store.db, { ...project, apiKey: 'key.with.dots' })
  })
  afterAll(async () => {
    await store.close()
    await database.close()
  })

  test('finds a project by its key', async () => {
    const find = createProjectFinder(store.db)
    expect(await find('key.with.dots')).toMatchObject({ id: 'app' })
    expect(await find('other.key.here')).toBeNull()
    expect(await find('other')).toBeNull()
  })

  test("finds the project of an issuer's token", async () => {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA')
    const issuer = {
      issuer: 'https://id.example',
      audience: 'wallet',
      algorithms: ['EdDSA'] as const,
      keys: { jwks: { keys: [await exportJWK(publicKey)] } },
    }
    const token = await new SignJWT({ project: 'other' })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer('https://id.example')
      .setAudience('wallet')
      .setExpirationTime('1m')
      .sign(privateKey)
    expect(await createProjectFinder(store.db, { jwt: [{ ...issuer, projectId: 'app' }] })(token)).toMatchObject({
      id: 'app',
    })
    expect(await createProjectFinder(store.db, { jwt: [{ ...issuer, projectId: 'gone' }] })(token)).toBeNull()
    expect(await createProjectFinder(store.db)(token)).toBeNull()
    const config: ConfiguredAccess = { jwt: [{ ...issuer, projectId: 'app' }], projects: [{ id: 'app' }] }
    const live = { current: config }
    const find = createProjectFinder(store.db, {
      get jwt() {
        return live.current.jwt
      },
      get projects() {
        return live.current.projects
      },
    })
    expect(await find(token)).toMatchObject({ id: 'app' })
    live.current = { ...config, projects: [] }
    expect(await find(token)).toBeNull()
    live.current = { ...config, jwt: [] }
    expect(await find(token)).toBeNull()
  })
})
