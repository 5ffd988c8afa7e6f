import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { localKeyEncryption } from './keyEncryption.ts'
import { openServiceSigner, type ServiceKeyOptions, wrapServiceKey } from './openServiceSigner.ts'

const key = generatePrivateKey().slice(2)
const { address } = privateKeyToAccount(`0x${key}`)
const newKey = () => ({ type: 'local', key: generatePrivateKey() }) as const
const [current, before] = [newKey(), newKey()]

const wrapUnder = ({ key: secret }: { key: string }) => wrapServiceKey(localKeyEncryption({ key: secret }), key)
const open = (options: ServiceKeyOptions, mode: 'production' | 'development' = 'production') =>
  openServiceSigner({ key: options, mode })

test('opens a plain secret', async () => {
  expect((await open({ type: 'secret', key })).address).toBe(address)
})

test('opens a wrapped key by its provider or a predecessor', async () => {
  const wrapped = await wrapUnder(current)
  expect(Buffer.from(wrapped, 'base64').toString('hex')).not.toContain(key)
  expect((await open({ type: 'wrapped', key: wrapped, keyEncryption: current })).address).toBe(address)
  const rotated = { type: 'wrapped', key: wrapped, keyEncryption: before, previousKeyEncryption: [current] } as const
  expect((await open(rotated)).address).toBe(address)
})

test('refuses an undeclared plain key in production', async () => {
  await expect(open(key)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/plain configuration.*wrap-paymaster-key/),
  })
  await expect(open(key)).rejects.not.toThrow(key)
  expect((await open(key, 'development')).address).toBe(address)
})

test('refuses another provider, a changed box and an invalid key', async () => {
  const wrapped = await wrapUnder(current)
  await expect(open({ type: 'wrapped', key: wrapped, keyEncryption: before })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  })
  const changed = Buffer.from(wrapped, 'base64')
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  await expect(open({ type: 'wrapped', key: changed.toString('base64'), keyEncryption: current })).rejects.toThrow()
  await expect(wrapServiceKey(localKeyEncryption(current), '00'.repeat(32))).rejects.toThrow()
})

test('refuses keys of test chains in production', async () => {
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
