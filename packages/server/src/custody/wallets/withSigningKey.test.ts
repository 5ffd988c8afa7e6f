import { createHash } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { recoverAddress } from 'viem'
import { expect, test } from 'vitest'
import { ethereumAddress } from './ethereumKey.ts'
import { signDigest } from './withSigningKey.ts'

const privateKey = Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex')

test('signs a digest', () => {
  const digest = Buffer.from('50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750', 'hex')
  expect(signDigest(digest, privateKey)).toEqual({
    r: 'f16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc',
    s: '573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f9450431',
    v: '01',
  })
})

test('signs with low s and a v that recovers the address', async () => {
  const half = secp256k1.Point.Fn.ORDER / 2n
  const seen = new Set<string>()
  for (let index = 0; index < 20; index++) {
    const digest = createHash('sha256').update(String(index)).digest()
    const { r, s, v } = signDigest(digest, privateKey)
    expect([r.length, s.length]).toEqual([64, 64])
    expect(BigInt(`0x${s}`) <= half).toBe(true)
    const hash = `0x${digest.toString('hex')}` as const
    const signature = `0x${r}${s}${v === '00' ? '1b' : '1c'}` as const
    expect(await recoverAddress({ hash, signature })).toBe(ethereumAddress(privateKey).address)
    seen.add(v)
  }
  expect([...seen].sort()).toEqual(['00', '01'])
})
