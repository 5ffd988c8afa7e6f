import { compareIntents } from '@latchkey/testkit/accounts/compareIntents'
import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { plugins } from '@latchkey/testkit/contracts/modularAccounts'
import { createRandom } from '@latchkey/testkit/createRandom'
import { mint } from '@latchkey/testkit/demoToken'
import { expect, test } from 'vitest'
import { toLightAccount } from './lightAccount/toLightAccount.ts'
import { toModularAccount } from './modularAccount/toModularAccount.ts'
import { toModularAccountV2 } from './modularAccountV2/toModularAccountV2.ts'
import { toMultiOwnerLightAccount } from './multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import { toSimple7702Account } from './simple7702Account/toSimple7702Account.ts'
import type { LatchkeyAccount } from './types.ts'

const stage = setChain()
/** Number of random operations. `FUZZ_INPUTS=100000` runs longer. */
const runs = Number(process.env.FUZZ_INPUTS ?? 2_000)

const delegate = '0xe6Cae83BdE06E4c305530e199D7217f42808555B'
const common = () => ({ client: stage.reader, owner: newKey() })
const kinds: [name: string, make: () => Promise<LatchkeyAccount>][] = [
  ['LightAccount v1.1.0', () => toLightAccount(common())],
  ['LightAccount v2.0.0', () => toLightAccount({ ...common(), version: 'v2.0.0' })],
  ['MultiOwnerLightAccount', () => toMultiOwnerLightAccount(common())],
  ['MultiOwnerModularAccount', () => toModularAccount(common())],
  ['ModularAccountV2', () => toModularAccountV2(common())],
  ['Simple7702Account', () => toSimple7702Account(common())],
]

test.each(kinds)('reads the calls that %s makes on the chain, or none of them', async (_, make) => {
  const account = await stage.funded(await make())
  if (account.delegation)
    await stage.tester.setCode({ address: account.address, bytecode: `0xef0100${delegate.slice(2)}` })
  else await stage.send(account, [mint(account.address, 1n)])
  const targets = [`0x${'c1'.repeat(20)}`, `0x${'c2'.repeat(20)}`] as const
  // Code that accepts any call.
  for (const address of targets) await stage.tester.setCode({ address, bytecode: '0x00' })
  const random = createRandom(Number(process.env.LATCHKEY_SEED ?? 1))
  const { equal } = await compareIntents(
    account,
    {
      reader: stage.reader,
      random,
      targets,
      plugins: [plugins.MultiOwnerPlugin],
      hasFallback: account.source === 'Simple7702Account',
    },
    Math.ceil(runs / kinds.length),
  )
  expect(equal).toBeGreaterThan(0)
})
