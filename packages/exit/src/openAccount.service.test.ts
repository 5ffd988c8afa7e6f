import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { mint } from '@latchkey/testkit/demoToken'
import {
  addOwner,
  describeAccount,
  type LatchkeyAccount,
  toModularAccount,
  toModularAccountV2,
  toMultiOwnerLightAccount,
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
  const descriptor = await describeAccount({ account: account as Parameters<typeof describeAccount>[0]['account'] })
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
