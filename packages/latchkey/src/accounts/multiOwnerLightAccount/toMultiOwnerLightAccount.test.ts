import { createClient, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { mainnet, polygonMumbai } from 'viem/chains'
import { expect, test } from 'vitest'
import { toMultiOwnerLightAccount } from './toMultiOwnerLightAccount.ts'

const owner = mnemonicToAccount('test test test test test test test test test test test junk')
/** Client whose requests all fail, because no server listens on port 9. */
const client = createClient({ chain: mainnet, transport: http('http://127.0.0.1:9', { retryCount: 0 }) })

test('returns the published address of its signer', async () => {
  const account = await toMultiOwnerLightAccount({ client, owner })
  expect(account).toMatchObject({
    address: '0x6ef8bb149c4422a33f87eF6A406B601D8F964b65',
    source: 'MultiOwnerLightAccount',
    version: 'v2.0.0',
    entryPointVersion: '0.7.0',
  })
  expect(await account.getStubSignature()).toBe(
    '0x00fffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c',
  )
})

test('gives the recorded signature of a message', async () => {
  const mumbai = createClient({ chain: polygonMumbai, transport: http('http://127.0.0.1:9', { retryCount: 0 }) })
  const accountAddress = '0xb856DBD4fA1A79a46D426f537455e7d3E79ab7c4'
  const account = await toMultiOwnerLightAccount({ client: mumbai, owner, accountAddress })
  const message = '0xa70d0af2ebb03a44dcd0714a8724f622e3ab876d0aa312f0ee04823285d6fb1b'
  expect(await account.signMessage({ message })).toBe(
    '0x0031b92c79b561ceaa77a66f983a0403ca411352cca0af290b1e789369b094cf8e3cae99b66cf964fc98ba211d72c04c984e6b5694b258f57e5d3dc8959c22de641b',
  )
})
