import { setChain } from '@latchkey/testkit/accounts/setChain'
import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import { gatewayTransport } from '@latchkey/testkit/gateway/gatewayTransport'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { custodyAccount } from '@latchkey/testkit/signer/custodyAccount'
import { test } from '@latchkey/testkit/worker'
import type { LocalAccount } from 'viem'
import { afterAll, expect } from 'vitest'
import { createSmartAccountClient } from '../wallet/client/createSmartAccountClient.ts'
import { undelegate } from './actions/undelegate.ts'
import { toModularAccountV2 } from './modularAccountV2/toModularAccountV2.ts'
import { toSimple7702Account } from './simple7702Account/toSimple7702Account.ts'
import type { LatchkeyAccount } from './types.ts'

// Custody stores the key. It signs only readable content, so neither digests nor calls of unknown code.

const stage = setChain()
let gateway: TestGateway
let custody: TestCustody
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
  custody = await startTestCustody({ project: { signing: { blind: 'deny' } } })
})
afterAll(async () => {
  await custody?.close()
  await gateway?.close()
})

const create = (more: object) => (owner: LocalAccount) =>
  toModularAccountV2({ client: stage.reader, owner, mode: '7702', ...more })
const createSimple = (version: 'v0.8.0' | 'v0.9.0') => (owner: LocalAccount) =>
  toSimple7702Account({ client: stage.reader, owner, version })

const accounts: [string, (owner: LocalAccount) => Promise<LatchkeyAccount>][] = [
  ['ModularAccountV2 v1.0.0', create({})],
  ['ModularAccountV2 v1.1.0', create({ delegate: 'v1.1.0' })],
  ['Simple7702Account v0.8.0', createSimple('v0.8.0')],
  ['Simple7702Account v0.9.0', createSimple('v0.9.0')],
]

test.each(accounts)('sends sponsored operations of %s', async (_, createAccount) => {
  const owner = await custodyAccount(custody)
  const account = await createAccount(owner)
  expect(account.address).toBe(owner.address)
  const gasManagerConfig = { policyId: 'default' }
  const client = createSmartAccountClient({
    account,
    chain: stage.chain,
    transport: gatewayTransport(gateway),
    gasManagerConfig,
  })
  for (const value of [5n, 6n]) {
    const uo = { target: demo, abi: demoAbi, functionName: 'mint', args: [account.address, value] } as const
    const sent = await client.sendUserOperation({ uo })
    expect(sent.request.eip7702Auth !== undefined).toBe(value === 5n)
    await client.waitForUserOperationTransaction(sent)
  }
  expect(await stage.balanceOf(account.address)).toBe(11n)
})

test('ends a delegation to code that custody would not delegate to', async () => {
  const owner = await custodyAccount(custody)
  await stage.funded(await create({})(owner))
  const { address } = owner
  await stage.tester.setCode({ address, bytecode: `0xef0100${'ab'.repeat(20)}` })
  await expect(
    owner.signAuthorization?.({ address: `0x${'ab'.repeat(20)}`, chainId: stage.chainId, nonce: 0 }),
  ).rejects.toThrow('known accounts only')
  const hash = await undelegate({ client: stage.reader, owner })
  expect(await stage.reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  expect(await stage.reader.getCode({ address })).toBeUndefined()
})
