import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { mint } from '@latchkey/testkit/demoToken'
import {
  addOwner,
  describeAccount,
  type LatchkeyAccount,
  toModularAccount,
  toModularAccountV2,
  toMultiOwnerLightAccount,
  toPasskeyOwner,
} from 'latchkey/accounts'
import type { LocalAccount } from 'viem'
import { expect, test } from 'vitest'
import { openAccount } from './openAccount.ts'

const stage = setChain()

const kinds: [string, (owner: LocalAccount) => Promise<LatchkeyAccount>][] = [
  ['MultiOwnerLightAccount', (owner) => toMultiOwnerLightAccount({ client: stage.reader, owner })],
  ['MultiOwnerModularAccount', (owner) => toModularAccount({ client: stage.reader, owner })],
  ['ModularAccountV2', (owner) => toModularAccountV2({ client: stage.reader, owner })],
]

test.each(kinds)('opens a %s with a key that was added later, such as a paper key', async (_name, create) => {
  const [first, added, stranger] = [newKey(), newKey(), newKey()]
  const account = await stage.funded(await create(first))
  const descriptor = await describeAccount({ account })
  await addOwner(stage.createBundler(account), { owner: added.address, waitForTxn: true })
  const opened = await openAccount(stage.reader, descriptor, added)
  await stage.send(opened, [mint(account.address, 3n)])
  expect(await stage.balanceOf(account.address)).toBe(3n)
  const refused = openAccount(stage.reader, descriptor, stranger).then((other) =>
    stage.send(other, [mint(account.address, 3n)]),
  )
  await expect(refused).rejects.toThrow()
  expect(await stage.balanceOf(account.address)).toBe(3n)
})

test('opens an account that a passkey created by its signer contract, once the contract is deployed', async () => {
  const passkey = newPasskey()
  const owner = await toPasskeyOwner({ client: stage.reader, passkey })
  for (const create of [toMultiOwnerLightAccount, toModularAccount]) {
    const account: LatchkeyAccount = await stage.funded(await create({ client: stage.reader, owner }))
    const signer = await owner.getAddress()
    const point = { x: BigInt(passkey.publicKey.slice(0, 66)), y: BigInt(`0x${passkey.publicKey.slice(66)}`) }
    const owners = [{ kind: 'passkey', address: signer, passkey: point }] as const
    const descriptor = await describeAccount({ account, owners, rpId: 'localhost' })
    const [described] = descriptor.owners
    if (described?.kind !== 'passkey') throw new TypeError('no passkey')
    const opening = () => openAccount(stage.reader, descriptor, { described, account: passkey })
    if ((await stage.reader.getCode({ address: signer })) === undefined) {
      await expect(opening()).rejects.toMatchObject({
        code: 'OWNER_NOT_FOUND',
        message: expect.stringContaining(`The signer contract ${signer} of the passkey is not on this chain yet.`),
      })
      // Another account deploys the contract by adding the passkey.
      const other: LatchkeyAccount = await stage.funded(
        await toMultiOwnerLightAccount({ client: stage.reader, owner: newKey() }),
      )
      await addOwner(stage.createBundler(other), { owner: passkey, waitForTxn: true })
    }
    const opened = await opening()
    expect(opened.address).toBe(account.address)
    await stage.send(opened, [mint(account.address, 3n)])
    const stranger = { ...descriptor, owners: [{ ...described, signer: newKey().address }] }
    const strange = stranger.owners[0]
    if (!strange) throw new TypeError('no passkey')
    await expect(openAccount(stage.reader, stranger, { described: strange, account: passkey })).rejects.toMatchObject({
      code: 'OWNER_NOT_FOUND',
    })
  }
})
