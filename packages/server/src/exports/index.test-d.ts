import { expectTypeOf, test } from 'vitest'
import { createServer, listen, migrate, ServerError } from './index.ts'

const options = {
  roles: ['mail'],
  databaseUrl: 'postgres://localhost/latchkey',
  rootOrganizationId: '8a1f0e6c-6a1b-4b1e-9d3c-2f5b7c9e1a40',
  urls: { custody: '', authFrame: '', exportFrame: '', importFrame: '' },
} as const

test('takes roles by name and their keys as hex', () => {
  expectTypeOf(options).toExtend<createServer.Options>()
  // @ts-expect-error: the role does not exist.
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

test('returns a server that listen takes', () => {
  expectTypeOf<createServer.ReturnType['fetch']>().toExtend<listen.Fetch>()
  expectTypeOf(createServer).returns.resolves.toEqualTypeOf<createServer.ReturnType>()
  expectTypeOf(listen).returns.resolves.toHaveProperty('url').toEqualTypeOf<string>()
})

test('names the applied migrations', () => {
  expectTypeOf(migrate).returns.resolves.toEqualTypeOf<{ applied: string[] }>()
  // @ts-expect-error: the database URL is missing.
  migrate({})
})

test('accepts only listed error codes', () => {
  expectTypeOf(new ServerError('', { code: 'NOT_FOUND' }).code).toEqualTypeOf<ServerError.Options['code']>()
  // @ts-expect-error: the code is not listed.
  new ServerError('', { code: 'SOMETHING' })
})
