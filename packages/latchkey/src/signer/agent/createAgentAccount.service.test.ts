import { setChain } from '@latchkey/testkit/accounts/setChain'
import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { custodyCalls } from '@latchkey/testkit/custodyCalls'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { test } from '@latchkey/testkit/worker'
import type { KeyScope } from 'latchkey-protocol'
import { type Address, parseEther, zeroAddress } from 'viem'
import { afterAll, expect } from 'vitest'
import { listen } from '../../../../server/src/platform/http/listen.ts'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { createAgentAccount } from './createAgentAccount.ts'
import { createAgentKey } from './createAgentKey.ts'

const stage = setChain()
let custody: TestCustody
let service: listen.ReturnType
test.beforeAll(async () => {
  custody = await startTestCustody({ project: { signing: {}, confirmations: 'mail' } })
  service = await listen((request, env) => custody.app.fetch(request, env), { port: 0 })
})
afterAll(async () => {
  await service?.close()
  await custody?.close()
})
const { submit } = custodyCalls(() => custody)

async function addAgent(options: Pick<createAgentAccount.Parameters, 'onConfirmation'> = {}) {
  const user = await custody.createUser()
  const key = await createAgentKey()
  const scope: KeyScope = {
    limits: [{ chainId: stage.chainId, token: 'native', perDay: String(parseEther('0.5')) }],
    recipients: null,
    contracts: [demo],
  }
  const apiKeys = [{ apiKeyName: 'agent', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256', scope }]
  const { body } = await submit('create_api_keys', user, { userId: user.userId, apiKeys }, '_V2')
  expect((await custody.decide(body.activity.id)).status).toBe(200)
  const owner = await createAgentAccount({
    custodyUrl: service.url,
    organizationId: user.orgId,
    address: user.address as Address,
    key,
    ...options,
  })
  return { user, owner }
}

test('owns an account that sends within the scope, and is told to ask the user for more', async () => {
  const { owner } = await addAgent()
  const account = await stage.funded(await toLightAccount({ client: stage.reader, owner }))
  expect(await stage.send(account, [mint(account.address, 5n)])).toBe(0n)
  expect(
    await stage.reader.readContract({
      address: demo,
      abi: demoAbi,
      functionName: 'balanceOf',
      args: [account.address],
    }),
  ).toBe(5n)
  const pay = { to: zeroAddress, value: parseEther('0.6') }
  await expect(owner.signTransaction({ ...pay, chainId: stage.chainId, type: 'eip1559' })).rejects.toMatchObject({
    code: 'CONFIRMATION_NEEDED',
  })
  await expect(owner.sign?.({ hash: `0x${'11'.repeat(32)}` })).rejects.toMatchObject({ code: 'REQUEST_NOT_AUTHORIZED' })
})

test('waits for the user who confirms by email', async () => {
  const { owner, user } = await addAgent({
    onConfirmation: async ({ to }) => {
      expect(to).toBe(user.email)
      const rows = await custody.store.db
        .selectFrom('activities')
        .select('id')
        .where('org_id', '=', user.orgId)
        .where('status', '=', 'ACTIVITY_STATUS_PENDING')
        .execute()
      for (const { id } of rows) await custody.decide(id)
    },
  })
  expect(await owner.signMessage({ message: 'Sign in to Example' })).toMatch(/^0x[0-9a-f]{130}$/)
})

test('refuses a key that is not one', async () => {
  const given = { custodyUrl: service.url, organizationId: '', address: zeroAddress } as const
  for (const privateKey of ['', 'zz', `${'00'.repeat(32)}`])
    await expect(createAgentAccount({ ...given, key: { publicKey: '02', privateKey } })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    })
})
