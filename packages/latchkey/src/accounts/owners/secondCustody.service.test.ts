import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { setChain } from '@latchkey/testkit/accounts/setChain'
import { startTestCustody } from '@latchkey/testkit/custody'
import { mint } from '@latchkey/testkit/demoToken'
import { custodyAccount } from '@latchkey/testkit/signer/custodyAccount'
import { test } from '@latchkey/testkit/worker'
import { expect } from 'vitest'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import { toModularAccount } from '../modularAccount/toModularAccount.ts'
import { toModularAccountV2 } from '../modularAccountV2/toModularAccountV2.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { OwnerParameter } from '../owner.ts'
import type { LatchkeyAccount } from '../types.ts'
import { rotateOwner } from './rotateOwner.ts'
import { withOwner } from './withOwner.ts'

const stage = setChain()
const connect = (account: LatchkeyAccount) => stage.createBundler(account)

const families: [string, 'all' | [], (owner: OwnerParameter) => Promise<LatchkeyAccount>][] = [
  ['LightAccount', [], (owner) => toLightAccount({ client: stage.reader, owner })],
  ['MultiOwnerLightAccount', 'all', (owner) => toMultiOwnerLightAccount({ client: stage.reader, owner })],
  ['MultiOwnerModularAccount', 'all', (owner) => toModularAccount({ client: stage.reader, owner })],
  ['ModularAccountV2', 'all', (owner) => toModularAccountV2({ client: stage.reader, owner })],
]

// Both services refuse blind signing, so they must be able to decode the owner's proof and the owner's removal.
test.each(families)('%s outlives two custody services and is left to a passkey', async (_name, keep, create) => {
  const project = { signing: { blind: 'deny', review: [] } } as const
  const [first, second] = await Promise.all([startTestCustody({ project }), startTestCustody({ project })])
  const [keyA, keyB] = [await custodyAccount(first), await custodyAccount(second)]
  const account = await stage.funded(await create(keyA))
  await stage.send(account, [mint(account.address, 1n)])
  await rotateOwner({ accounts: [account], to: keyB, keep, connect })
  await first.close()
  const byB = await withOwner({ account, owner: keyB })
  await stage.send(byB, [mint(account.address, 2n)])
  const passkey = newPasskey()
  const rotation = { accounts: [byB], to: passkey, keep: [], connect, allowSinglePasskey: true }
  const [result] = await rotateOwner(rotation)
  expect(result?.owners).toMatchObject([{ kind: 'passkey' }])
  await second.close()
  const alone = await withOwner({ account, owner: passkey })
  expect(alone.address).toBe(account.address)
  await stage.send(alone, [mint(account.address, 4n)])
  expect(await stage.balanceOf(account.address)).toBe(7n)
})
