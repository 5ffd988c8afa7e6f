import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestAwsCredentials, type TestAwsCredentials } from '@latchkey/testkit/awsCredentials'
import { startTestAwsKms, type TestAwsKms } from '@latchkey/testkit/awsKms'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { awsKmsKeyEncryption } from './awsKmsKeyEncryption.ts'

/** Variables that Amazon's SDK reads, which are restored after each test. */
const names = Object.keys(process.env).filter((name) => name.startsWith('AWS_'))
const before = names.map((name) => [name, process.env[name]] as const)
const closers: (() => unknown)[] = []
let kms: TestAwsKms
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-aws-'))
  kms = await startTestAwsKms()
  closers.push(kms.close, () => rmSync(folder, { recursive: true }))
  // Hides profiles and instance credentials of the machine that runs the tests.
  setEnvironment(isolated())
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  clearEnvironment()
  for (const [name, value] of before) process.env[name] = value
})

function clearEnvironment(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name]
}

function setEnvironment(variables: Record<string, string>): void {
  clearEnvironment()
  Object.assign(process.env, variables)
}

const dek = randomBytes(32)
const aad = new TextEncoder().encode('org|wallet|1')
const open = () => awsKmsKeyEncryption({ key: kms.key, region: kms.region, url: kms.url })

async function issueCredentials(validMs: number): Promise<TestAwsCredentials> {
  const credentials = await startTestAwsCredentials({ validMs })
  closers.push(credentials.close)
  return credentials
}

const acceptLast = ({ issued }: TestAwsCredentials) => kms.acceptOnly(() => issued.slice(-1))

const isolated = () => ({
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: join(folder, 'none'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
})

test('uses the access key of the environment', async () => {
  const key = { accessKeyId: 'AKIA0123456789ABCDEF', secretAccessKey: 'a secret of the environment' }
  kms.acceptOnly(() => [key])
  setEnvironment({
    ...isolated(),
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  })
  expect(Buffer.from(await open().unwrap(await open().wrap(dek, aad), aad))).toEqual(dek)
})

async function useWebIdentity(sts: TestAwsCredentials, token = sts.webIdentityToken): Promise<void> {
  const path = join(folder, 'token')
  writeFileSync(path, token)
  setEnvironment({
    ...isolated(),
    AWS_ENDPOINT_URL_STS: sts.url,
    AWS_WEB_IDENTITY_TOKEN_FILE: path,
    AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/latchkey',
  })
}

async function useContainer(container: TestAwsCredentials): Promise<void> {
  setEnvironment({
    ...isolated(),
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${container.url}/container`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: container.containerToken,
  })
}

test.each([
  ['a web identity token', 'web identity', useWebIdentity],
  ['a container', 'container', useContainer],
] as const)('assumes the role of %s, and renews credentials that have ended', async (_, by, use) => {
  const source = await issueCredentials(-1)
  await use(source)
  acceptLast(source)
  const encryption = open()
  const wrapped = await encryption.wrap(dek, aad)
  expect(Buffer.from(await encryption.unwrap(wrapped, aad))).toEqual(dek)
  const used = kms.requests.map(({ accessKeyId }) => accessKeyId)
  expect(new Set(used).size).toBe(2)
  const issued = source.issued.filter((one) => one.by === by).map(({ accessKeyId }) => accessKeyId)
  expect(issued).toEqual(expect.arrayContaining(used))
})

test('keeps credentials that are valid for an hour', async () => {
  const source = await issueCredentials(3_600_000)
  await useContainer(source)
  acceptLast(source)
  const encryption = open()
  for (let count = 0; count < 3; count++) await encryption.wrap(dek, aad)
  expect(source.issued).toHaveLength(1)
})

test('explains missing credentials and a refused token without secrets', async () => {
  await expect(open().wrap(dek, aad)).rejects.toMatchObject({
    code: 'KEY_SERVICE_FAILED',
    message: expect.stringContaining('no credentials were found. Give this process a role'),
  })
  const sts = await issueCredentials(3_600_000)
  await useWebIdentity(sts, 'another token')
  const error: Error = await open()
    .wrap(dek, aad)
    .then(
      () => new TypeError('It was taken.'),
      (refusal) => refusal,
    )
  expect(error.message).toMatch(/InvalidIdentityToken|no credentials were found/)
  expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(sts.webIdentityToken)
})
