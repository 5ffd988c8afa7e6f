import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { localKeyEncryption } from './keyEncryption.ts'
import { openServiceSigner, type ServiceKeyOptions, wrapServiceKey } from './openServiceSigner.ts'

const key = generatePrivateKey().slice(2)
const { address } = privateKeyToAccount(`0x${key}`)
const [current, before] = [1, 2].map(() => ({ type: 'local', key: generatePrivateKey() }) as const)

const wrapUnder = ({ key: secret }: { key: string } = { key: '' }) =>
  wrapServiceKey(localKeyEncryption({ key: secret }), key)
const open = (options: ServiceKeyOptions, mode: 'production' | 'development' = 'production') =>
  openServiceSigner({ key: options, mode })

test('default: from the environment', async () => {
  expect((await open({ type: 'secret', key })).address).toBe(address)
})

test('behavior: a wrapped key is opened by the provider that wrapped it, also by one before', async () => {
  if (!current || !before) throw new TypeError('No key.')
  const wrapped = await wrapUnder(current)
  expect(Buffer.from(wrapped, 'base64').toString('hex')).not.toContain(key)
  expect((await open({ type: 'wrapped', key: wrapped, keyEncryption: current })).address).toBe(address)
  const rotated = { type: 'wrapped', key: wrapped, keyEncryption: before, previousKeyEncryption: [current] } as const
  expect((await open(rotated)).address).toBe(address)
})

test('error: a plain key in production; in development it counts', async () => {
  await expect(open(key)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/plain configuration.*wrap-paymaster-key/),
  })
  await expect(open(key)).rejects.not.toThrow(key)
  expect((await open(key, 'development')).address).toBe(address)
})

test('error: another provider, a changed box, no key', async () => {
  if (!current || !before) throw new TypeError('No key.')
  const wrapped = await wrapUnder(current)
  await expect(open({ type: 'wrapped', key: wrapped, keyEncryption: before })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  })
  const changed = Buffer.from(wrapped, 'base64')
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  await expect(open({ type: 'wrapped', key: changed.toString('base64'), keyEncryption: current })).rejects.toThrow()
  await expect(wrapServiceKey(localKeyEncryption(current), '00'.repeat(32))).rejects.toThrow()
})

test('error: a key of test chains in production, plain or wrapped; in development it counts', async () => {
  if (!current) throw new TypeError('No key.')
  const known = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
  const wrapped = await wrapServiceKey(localKeyEncryption(current), known)
  for (const options of [
    { type: 'secret', key: known },
    { type: 'wrapped', key: wrapped, keyEncryption: current },
  ] as const) {
    await expect(open(options)).rejects.toThrow('The paymaster key is a test key that others know')
    expect((await open(options, 'development')).address).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
  }
})
