import { createRandom } from '@latchkey/testkit/createRandom'
import { findLosses } from '@latchkey/testkit/faults/findLosses'
import { exportWallet, type Person, send, signHash, signUp, untilIncluded } from '@latchkey/testkit/faults/person'
import { type FaultDevnet, startFaultDevnet } from '@latchkey/testkit/faults/startFaultDevnet'
import { hashMessage } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Roles are killed (SIGKILL) while users sign up, sign, export and send. A supervisor restarts them, and users repeat
 * their requests. `LATCHKEY_FAULT_ROUNDS` sets the number of rounds, `LATCHKEY_SEED` another seed.
 */
const rounds = Number(process.env.LATCHKEY_FAULT_ROUNDS ?? 6)
const seed = Number(process.env.LATCHKEY_SEED)

let devnet: FaultDevnet
let signer: Person
let sender: Person
/** User who exports. Each round needs another user, because `findLosses` counts an account's first export. */
let exporter: Person
const asked = { exports: 0, signatures: 0 }
beforeAll(async () => {
  devnet = await startFaultDevnet()
  const people = await Promise.all([signUp(devnet), signUp(devnet), signUp(devnet)])
  ;[signer, sender, exporter] = people
})
afterAll(() => devnet?.close())

/**
 * Runs all flows concurrently. The new user of a round exports in the next round, sends in the one after, and then
 * signs.
 */
async function runFlows(round: number): Promise<void> {
  const version = round % 2 === 0 ? '0.6.0' : '0.7.0'
  const [newcomer] = await Promise.all([
    signUp(devnet),
    signHash(devnet, signer, hashMessage(`round ${String(round)}`)),
    exportWallet(devnet, exporter),
    send(devnet, sender, version).then((hash) => untilIncluded(devnet, hash)),
  ])
  asked.signatures += 2
  asked.exports++
  ;[signer, sender, exporter] = [sender, exporter, newcomer]
}

/** Kills the signer API before or after a request to custody, because the signer API itself writes only rate limits. */
function killSignerApi(atRequest: number, when: 'before' | 'after'): void {
  let requests = 0
  devnet.ways.custodyFromSigner.bend(async (_, pass) => {
    if (++requests !== atRequest) return pass()
    const reply = when === 'after' ? await pass() : undefined
    devnet.roles['signer-api'].kill()
    return reply ?? 'cut'
  })
}

function killAnother(random: (limit: number) => number): string {
  const when = random(2) === 0 ? 'before' : 'after'
  const name = (['signer-api', 'mail', 'gateway'] as const)[random(3)] ?? 'mail'
  const place = 1 + random(name === 'signer-api' ? 6 : 20)
  if (name === 'signer-api') killSignerApi(place, when)
  else devnet.roles[name].proxy.cutAt(place, when)
  return `${name} ${when} its ${name === 'signer-api' ? 'request' : 'write'} ${String(place)}`
}

function disarm(): void {
  for (const { proxy } of Object.values(devnet.roles)) proxy.disarm()
  devnet.ways.custodyFromSigner.bend()
}

test('loses, repeats and reveals nothing while roles are killed between writes', async () => {
  const recording = devnet.roles.custody.proxy.record()
  await runFlows(0)
  const gaps = [...new Set(recording.end())]
  for (const part of ['activities', 'wallets', 'confirmations', 'mail_outbox', 'commit after', 'activity_log'])
    expect(
      gaps.some((gap) => gap.includes(part)),
      part,
    ).toBe(true)
  console.info(`LATCHKEY_SEED=${String(seed)} LATCHKEY_FAULT_ROUNDS=${String(rounds)}`)
  const random = createRandom(seed)
  const began = performance.now()
  const left: string[] = []
  let missed = 0
  for (let round = 1; round <= rounds; round++) {
    // Uses every gap once before any is repeated.
    if (left.length === 0) left.push(...gaps)
    const [gap = ''] = left.splice(random(left.length), 1)
    const roundBegan = performance.now()
    devnet.roles.custody.proxy.cutBefore(gap)
    const other = killAnother(random)
    await runFlows(round)
    if (!devnet.roles.custody.proxy.disarm()) missed++
    disarm()
    await devnet.ready()
    const ms = String(Math.round(performance.now() - roundBegan))
    console.info(
      `${String(round)}: custody before ${gap.replaceAll(/\s+/g, ' ').trim().slice(0, 60)}; ${other}; ${ms} ms`,
    )
  }
  const kills = Object.values(devnet.roles).map((role) => `${role.name} ${String(role.kills())}`)
  console.info(`Killed in ${String(Math.round((performance.now() - began) / 1_000))} s: ${kills.join(', ')}`)
  // Some writes happen only after earlier ones, such as the deletion of sessions.
  expect(missed).toBeLessThanOrEqual(rounds / 2)
  expect(devnet.roles.custody.kills()).toBe(rounds - missed)
  expect(await findLosses(devnet, asked)).toEqual([])
}, 3_600_000)
