import { randomBytes } from 'node:crypto'
import { settle } from '../../../server/src/gateway/operations/settle.ts'
import { openStore, type Store } from '../../../server/src/platform/database/openStore.ts'
import { upsertPolicy } from '../../../server/src/store/ledger/policies.ts'
import { recordSignature, reserve } from '../../../server/src/store/ledger/reserve.ts'
import { upsertProject } from '../../../server/src/store/upsertProject.ts'
import { startTestDatabase } from '../database.ts'
import { FixtureError } from '../FixtureError.ts'

type Rules = NonNullable<upsertPolicy.Parameters['rules']>

export type TestLedger = Awaited<ReturnType<typeof startTestLedger>>

/** Creates the spending tables in their own database. */
export async function startTestLedger() {
  const database = await startTestDatabase({ migrated: true })
  const store = await openStore({ databaseUrl: database.url })
  const apiKey = randomBytes(16).toString('hex')
  await upsertProject(store.db, { id: 'app', name: 'App', apiKey, redirectUrls: [], allowedOrigins: [] })
  return {
    store,
    databaseUrl: database.url,
    /** Adds a policy of project `app` with its own paymaster, so that tests do not share budgets. */
    async policy(rules?: Rules) {
      const id = `policy-${randomBytes(6).toString('hex')}`
      await upsertPolicy(store.db, { projectId: 'app', id, rules })
      return testPolicy(store, id)
    },
    async close() {
      await store.close()
      await database.close()
    },
  }
}

function testPolicy({ db }: Store, id: string) {
  const paymaster = randomHex(20)
  /** Returns a request for 1000 wei for a new sender, from a deposit of a million. */
  const request = (more: Partial<reserve.Parameters> = {}): reserve.Parameters => ({
    projectId: 'app',
    policyId: id,
    caller: { key: id },
    chainId: 31337,
    entryPoint: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
    paymaster,
    sender: randomHex(20),
    nonce: 0n,
    maxCost: 1_000n,
    validUntil: new Date(Date.now() + 600_000),
    deposit: { wei: 1_000_000n, blockNumber: 100n },
    ...more,
  })
  return {
    id,
    request,
    reserve: (more?: Partial<reserve.Parameters>) => reserve(db, request(more)),
    /** Reserves the amount and records the operation's hash. */
    async sign(more?: Partial<reserve.Parameters>) {
      const asked = request(more)
      const outcome = await reserve(db, asked)
      if (!outcome.ok) throw new FixtureError(`Not reserved: ${outcome.rule}.`)
      const userOpHash = randomHex(32)
      await recordSignature(db, { id: outcome.id, userOpHash, paymaster: asked.paymaster })
      return { request: asked, userOpHash }
    },
    settle: (
      { request: { chainId, entryPoint, paymaster: payer, sender, nonce }, userOpHash }: Signed,
      more?: Partial<settle.Parameters>,
    ) =>
      settle(db, {
        chainId,
        entryPoint,
        paymaster: payer,
        sender,
        nonce,
        userOpHash,
        actualGasCost: 700n,
        success: true,
        blockNumber: 101n,
        blockHash: `0x${'ab'.repeat(32)}`,
        blockTime: new Date(),
        transactionHash: `0x${'cd'.repeat(32)}`,
        logIndex: 0,
        ...more,
      }),
  }
}

type Signed = { request: reserve.Parameters; userOpHash: string }

const randomHex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`
