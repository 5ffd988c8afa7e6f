import { floodVictim, startVictimGateway, victimOperation } from '@latchkey/testkit/gateway/floodVictim'
import { startTestLedger } from '@latchkey/testkit/gateway/startTestLedger'
import { expect, onTestFinished, test } from 'vitest'

// Floods of one key from 50 IP addresses against one account. `chosenVictim.service.test.ts` tests a small flood.

const addresses = 50

test('reserves for an account after 10,000 reservations by others that name it', async () => {
  const ledger = await startTestLedger()
  onTestFinished(() => ledger.close())
  const sender = { day: { count: 3 }, total: { count: 10 } }
  // The limits on open signatures are lower than by default, so that the flood exceeds them quickly.
  const open = { ip: 20, signatures: 8 }
  const policy = await ledger.policy({ open, limits: { sender, policy: { day: { cost: '100000' } } } })
  const victim = policy.request().sender
  const rules = new Set<string>()
  for (let index = 0; index < 10_000; index++) {
    const caller = { key: 'page', ip: `203.0.113.${index % addresses}` }
    // A third of the requests use the victim's first nonce, a third use nonces of the victim's other keys, and a third
    // use new accounts. The costs vary, so that each limit is used up completely.
    const nonce = index % 3 === 0 ? 0n : BigInt(index) << 64n
    const sender = index % 3 === 2 ? policy.request().sender : victim
    const maxCost = BigInt(5_000 >> (index % 7))
    const outcome = await policy.reserve({ caller, sender, nonce, maxCost, deposit: undefined })
    if (!outcome.ok) rules.add(outcome.rule)
  }
  expect([...rules]).toEqual(expect.arrayContaining(['open.cost', 'open.signatures', 'limits.sender.day.count']))
  const caller = { key: 'page', ip: '198.51.100.1' }
  expect(await policy.reserve({ caller, sender: victim, maxCost: 1_000n })).toMatchObject({ ok: true })
}, 600_000)

const requests = Number(process.env.LATCHKEY_FLOOD_REQUESTS ?? 1_000)

test('sends for an account during and after a flood of requests that name it', async () => {
  // The flood occupies chain and bundler, so the test starts its own gateway.
  const gateway = await startVictimGateway()
  onTestFinished(() => gateway.close())
  const [victim, other] = [await victimOperation(gateway, '0.7.0'), await victimOperation(gateway, '0.6.0')]
  const run = (share: number, named: typeof victim) =>
    floodVictim({ gateway, victim: named, requests: requests * share, addresses, atOnce: 16 })
  await run(0.5, victim)
  const [during] = await Promise.all([gateway.send('198.51.100.1', victim), run(0.4, other)])
  expect(during).toHaveProperty('result')
  await run(0.1, other)
  expect(await gateway.send('198.51.100.2', other)).toHaveProperty('result')
}, 600_000)
