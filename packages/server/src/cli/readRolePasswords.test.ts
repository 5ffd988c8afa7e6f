import { expect, test } from 'vitest'
import { readRolePasswords } from './readRolePasswords.ts'

test('reads the password of each role that has a URL of its own', () => {
  const passwords = readRolePasswords({
    DATABASE_URL: 'postgres://owner:o@localhost/latchkey',
    LATCHKEY_MAIL_DATABASE_URL: 'postgres://latchkey_mail:p%2Fq@localhost/latchkey',
    LATCHKEY_SIGNER_API_DATABASE_URL: 'postgres://latchkey_signer_api:r@localhost/latchkey',
  })
  expect(passwords).toEqual({ mail: 'p/q', 'signer-api': 'r' })
})

test.each([
  [{}, 'set at least one'],
  [{ LATCHKEY_MAIL_DATABASE_URL: 'postgres://owner:secret@localhost/latchkey' }, 'with the user latchkey_mail'],
  [{ LATCHKEY_MAIL_DATABASE_URL: 'postgres://latchkey_mail@localhost/latchkey' }, 'and a password'],
  [{ LATCHKEY_MAIL_DATABASE_URL: 'secret' }, 'LATCHKEY_MAIL_DATABASE_URL must be a URL'],
])('refuses %j and repeats no value', (environment, message) => {
  expect(() => readRolePasswords(environment)).toThrow(message)
  expect(() => readRolePasswords(environment)).not.toThrow('secret')
})
