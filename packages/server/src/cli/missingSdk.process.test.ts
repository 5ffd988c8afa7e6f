import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-sdk-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Hides a package, as if it were not installed. */
const hooks = `export async function resolve(name, context, next) {
  if (name === '@aws-sdk/client-kms') throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' })
  return next(name, context)
}`

test('names the package to install where AWS KMS is configured without its SDK', async () => {
  const path = join(folder, 'hooks.mjs')
  writeFileSync(path, hooks)
  const register = join(folder, 'register.mjs')
  writeFileSync(
    register,
    `import { register } from 'node:module'\nregister(${JSON.stringify(pathToFileURL(path).href)})`,
  )
  const child = spawn(process.execPath, ['--import', pathToFileURL(register).href, program, 'wrap-paymaster-key'], {
    env: {
      LATCHKEY_PAYMASTER_KEY: randomBytes(32).toString('hex'),
      LATCHKEY_KEY_ENCRYPTION: 'aws-kms',
      LATCHKEY_AWS_KMS_KEY: 'alias/latchkey',
      LATCHKEY_AWS_REGION: 'eu-central-1',
    },
  })
  let text = ''
  child.stderr.on('data', (chunk) => {
    text += String(chunk)
  })
  const [code] = await once(child, 'close')
  expect([code, text]).toEqual([
    1,
    "LATCHKEY_KEY_ENCRYPTION is aws-kms and Amazon's SDK is not installed beside latchkey-server: npm install @aws-sdk/client-kms\n",
  ])
})
