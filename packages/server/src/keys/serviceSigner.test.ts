import { hashMessage, recoverAddress } from 'viem'
import { expect, test } from 'vitest'
import { localServiceSigner } from './serviceSigner.ts'

test('default', async () => {
  const signer = localServiceSigner({ key: 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80' })
  expect(signer.address).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
  const hash = hashMessage('hello')
  const signature = await signer.signHash(hash)
  expect(signature).toBe(
    '0xf16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f94504311c',
  )
  expect(await recoverAddress({ hash, signature })).toBe(signer.address)
})
