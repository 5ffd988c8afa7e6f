import { expectTypeOf, test } from 'vitest'
import { createServer, listen, migrate, type Role, ServerError } from './index.ts'

const options = {
  roles: ['mail'],
  databaseUrl: 'postgres://localhost/latchkey',
  rootOrganizationId: '8a1f0e6c-6a1b-4b1e-9d3c-2f5b7c9e1a40',
  urls: { custody: '', authFrame: '', exportFrame: '', importFrame: '' },
} as const

test('createServer takes roles by name, and the keys of the roles as hex text', () => {
  expectTypeOf<Role>().toEqualTypeOf<
    'custody' | 'signer-api' | 'mail' | 'gateway' | 'webhooks' | 'frames' | 'admin' | 'console'
  >()
  expectTypeOf(options).toExtend<createServer.Options>()
  // @ts-expect-error: no such role.
  createServer({ ...options, roles: ['signerApi'] })
  // @ts-expect-error: a role's options are complete or missing.
  createServer({ ...options, mail: { smtpUrl: 'smtp://localhost' } })
  const custody = { rootApiPublicKey: '', mailSealKey: '' }
  createServer({ ...options, custody: { ...custody, keyEncryption: { type: 'local', key: '' } } })
  // @ts-expect-error: a file has a path, not a key.
  createServer({ ...options, custody: { ...custody, keyEncryption: { type: 'file', key: '' } } })
  // @ts-expect-error: keys are hex text.
  createServer({ ...options, mail: { smtpUrl: '', from: '', sealKey: new Uint8Array(32) } })
})

test('what createServer returns is what listen takes', () => {
  expectTypeOf<createServer.ReturnType['fetch']>().toExtend<listen.Fetch>()
  expectTypeOf(createServer).returns.resolves.toEqualTypeOf<createServer.ReturnType>()
  expectTypeOf(listen).returns.resolves.toHaveProperty('url').toEqualTypeOf<string>()
})

test('migrate names what it applied', () => {
  expectTypeOf(migrate).returns.resolves.toEqualTypeOf<{ applied: string[] }>()
  // @ts-expect-error: the database is named.
  migrate({})
})

test('ServerError has a code of the list, no other', () => {
  expectTypeOf(new ServerError('', { code: 'NOT_FOUND' }).code).toEqualTypeOf<ServerError.Options['code']>()
  // @ts-expect-error: not a code of the list.
  new ServerError('', { code: 'SOMETHING' })
})
