import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { mint } from '@latchkey/testkit/demoToken'
import { createSiweMessage, generateSiweNonce } from 'viem/siwe'
import { expect, test } from 'vitest'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { verifySiweMessage } from './verifySiweMessage.ts'

const stage = setChain()
const domain = 'app.example.com'

async function signIn(change: Partial<Parameters<typeof createSiweMessage>[0]> = {}) {
  const account = await stage.funded(await toLightAccount({ client: stage.reader, owner: newKey() }))
  const nonce = generateSiweNonce()
  const message = createSiweMessage({
    address: account.address,
    chainId: await stage.reader.getChainId(),
    domain,
    nonce,
    uri: `https://${domain}`,
    version: '1',
    ...change,
  })
  return { account, message, nonce, domain, signature: await account.signMessageWith6492({ message }) }
}

test('accepts the account before and after its deployment', async () => {
  const { account, ...proof } = await signIn()
  expect(await verifySiweMessage(stage.reader, proof)).toMatchObject({ address: account.address })
  await stage.send(account, [mint(account.address, 1n)])
  const deployed = { ...proof, signature: await account.signMessage({ message: proof.message }) }
  expect(await verifySiweMessage(stage.reader, deployed)).toMatchObject({ address: account.address })
})

test('refuses another domain, nonce, time, signer and form', async () => {
  const refused = { code: 'UNAUTHENTICATED' }
  const [{ account: _, ...proof }, other] = [await signIn(), await signIn()]
  const verify = (change: object) => verifySiweMessage(stage.reader, { ...proof, ...change })
  await expect(verify({ domain: 'evil.example' })).rejects.toMatchObject(refused)
  await expect(verify({ nonce: generateSiweNonce() })).rejects.toMatchObject(refused)
  await expect(verify({ signature: other.signature })).rejects.toMatchObject(refused)
  await expect(verify({ message: 'hello' })).rejects.toMatchObject(refused)
  const { account: __, ...expired } = await signIn({ expirationTime: new Date(Date.now() - 1000) })
  await expect(verifySiweMessage(stage.reader, expired)).rejects.toMatchObject(refused)
})

test('names the chain of a message for another chain', async () => {
  const { account: _, ...proof } = await signIn({ chainId: 8453 })
  const client = { ...stage.reader, chain: { id: 31337 } } as never
  await expect(verifySiweMessage(client, proof)).rejects.toMatchObject({ code: 'CHAIN_MISMATCH' })
})
