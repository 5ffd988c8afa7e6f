import { randomUUID } from 'node:crypto'
import { startTestSmtp } from '@latchkey/testkit/smtp'
import { expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { readConfig } from '../readConfig.ts'
import type { Subject } from './checks.ts'
import { mailChecks } from './mailChecks.ts'

test('says what helps with the self-signed certificate of a mail server on this machine', async () => {
  const smtp = await startTestSmtp(0, { tls: true })
  const check = (smtpUrl: string) => {
    const config = readConfig({
      LATCHKEY_ROLES: 'mail',
      LATCHKEY_MODE: 'development',
      DATABASE_URL: 'postgres://localhost/latchkey',
      LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
      LATCHKEY_SMTP_URL: smtpUrl,
      LATCHKEY_MAIL_FROM: 'App <no-reply@app.example>',
      LATCHKEY_MAIL_SEAL_KEY: createApiKeyPair().privateKey,
    })
    return mailChecks(config as unknown as Subject)
      .find(({ name }) => name === 'SMTP')
      ?.run()
  }
  await expect(check(smtp.url)).rejects.toThrow('add ?ignoreTLS=true to LATCHKEY_SMTP_URL')
  expect(await check(`${smtp.url}?ignoreTLS=true`)).toBe('answers and accepts the credentials')
  await smtp.close()
})
