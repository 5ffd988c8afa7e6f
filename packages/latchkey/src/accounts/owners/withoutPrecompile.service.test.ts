import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { mint } from '@latchkey/testkit/demoToken'
import { expect, test } from 'vitest'
import { createSmartAccountClient } from '../../wallet/client/createSmartAccountClient.ts'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import { toModularAccount } from '../modularAccount/toModularAccount.ts'
import { toModularAccountV2 } from '../modularAccountV2/toModularAccountV2.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { OwnerParameter } from '../owner.ts'
import type { LatchkeyAccount } from '../types.ts'
import { rotateOwner } from './rotateOwner.ts'
import { withOwner } from './withOwner.ts'

// Prague precedes the precompile that verifies P-256 signatures (EIP-7951), so contracts verify them.
const stage = setChain({ hardfork: 'prague' })

test.each<[string, (owner: OwnerParameter) => Promise<LatchkeyAccount>]>([
  ['LightAccount v1.1.0', (owner) => toLightAccount({ client: stage.reader, owner })],
  ['LightAccount v2.0.0', (owner) => toLightAccount({ client: stage.reader, owner, version: 'v2.0.0' })],
  ['MultiOwnerLightAccount', (owner) => toMultiOwnerLightAccount({ client: stage.reader, owner })],
  ['MultiOwnerModularAccount', (owner) => toModularAccount({ client: stage.reader, owner })],
  ['ModularAccountV2', (owner) => toModularAccountV2({ client: stage.reader, owner })],
])('sends by a passkey of a %s, by both kinds of clients', async (_name, create) => {
  const account = await stage.funded(await create(newKey()))
  const passkey = newPasskey()
  const connect = (each: LatchkeyAccount) => stage.createBundler(each)
  await rotateOwner({ accounts: [account], to: passkey, keep: [], allowSinglePasskey: true, connect })
  const byPasskey = await withOwner({ account, owner: passkey })
  await stage.send(byPasskey, [mint(account.address, 1n)])
  const client = createSmartAccountClient({ account: byPasskey, transport: stage.transport })
  const { hash } = await client.sendUserOperation({
    uo: { target: '0x000000000000000000000000000000000000dEaD', data: '0x' },
  })
  const { success } = await stage.createBundler(byPasskey).waitForUserOperationReceipt({ hash })
  expect(success).toBe(true)
})
