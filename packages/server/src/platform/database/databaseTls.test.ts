import { expect, test } from 'vitest'
import { databaseTls } from './databaseTls.ts'

const read = (where: string) => databaseTls(`postgres://user:p%40ss@${where}`)

test('requires checked certificates except on this machine', () => {
  expect(read('db.example:5432/latchkey')).toEqual({
    connectionString: 'postgres://user:p%40ss@db.example:5432/latchkey',
    ssl: {},
  })
  const here = ['localhost/x', '127.0.0.1:1/x', '[::1]:1/x', '/x?host=/var/run/postgresql', '%2Fvar%2Frun/x']
  for (const where of here) expect(read(where).ssl, where).toBe(false)
  const elsewhere = ['10.0.0.1/x', 'localhost.example/x', '127.0.0.1.example/x', 'db/x?host=db.example', '0.0.0.0/x']
  for (const where of elsewhere) expect(read(where).ssl, where).toEqual({})
})

test('applies sslmode', () => {
  expect(read('db.example/x?sslmode=disable')).toMatchObject({
    connectionString: 'postgres://user:p%40ss@db.example/x',
    ssl: false,
  })
  expect(read('db.example/x?sslmode=no-verify').ssl).toEqual({ rejectUnauthorized: false })
  for (const mode of ['require', 'verify-ca', 'verify-full'])
    expect(read(`localhost/x?sslmode=${mode}`).ssl, mode).toEqual({})
  const withFile = 'db.example/x?sslmode=verify-full&sslrootcert=/ca.pem'
  expect(read(withFile).connectionString).toContain('sslrootcert=/ca.pem')
})

test('refuses modes that may fall back to plain text', () => {
  for (const parameter of ['sslmode=prefer', 'sslmode=allow', 'sslmode=', 'sslmode=constructor', 'ssl=0', 'ssl=false'])
    expect(() => read(`db.example/x?${parameter}`), parameter).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringContaining('p%40ss') }),
    )
})
