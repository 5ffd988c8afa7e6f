import { randomBytes } from 'node:crypto'
import { settle } from '../../../server/src/gateway/operations/settle.ts'
import { openStore, type Store } from '../../../server/src/platform/database/openStore.ts'
import { upsertPolicy } from '../../../server/src/store/books/policies.ts'
import { recordSignature, reserve } from '../../../server/src/store/books/reserve.ts'
import { upsertProject } from '../../../server/src/store/upsertProject.ts'
import { startTestDatabase } from '../database.ts'
import { FixtureError } from '../FixtureError.ts'

type Rules = NonNullable<upsertPolicy.Parameters['rules']>

export type TestBooks = {
  store: Store
  databaseUrl: string
  /** A new policy of project `app` with a paymaster of its own, so that tests do not share budgets. */
  policy(rules?: Rules): Promise<TestPolicy>
  close(): Promise<void>
}

export type TestPolicy = {
  id: string
  /** A request for 1000 wei of a new sender, over a deposit of a million. */
  request(more?: Partial<reserve.Parameters>): reserve.Parameters
  reserve(more?: Partial<reserve.Parameters>): Promise<reserve.ReturnType>
  /** Reserves, and names the operation. */
  sign(more?: Partial<reserve.Parameters>): Promise<{ request: reserve.Parameters; userOpHash: string }>
  settle(
    signed: { request: reserve.Parameters; userOpHash: string },
    more?: Partial<settle.Parameters>,
  ): Promise<settle.ReturnType>
}

/** The books over a database of their own. */
export async function startTestBooks(): Promise<TestBooks> {
  const database = await startTestDatabase({ migrated: true })
  const store = await openStore({ databaseUrl: database.url })
  const apiKey = randomBytes(16).toString('hex')
  await upsertProject(store.db, { id: 'app', name: 'App', apiKey, redirectUrls: [], allowedOrigins: [] })
  return {
    store,
    databaseUrl: database.url,
    async policy(rules) {
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

function testPolicy({ db }: Store, id: string): TestPolicy {
  const paymaster = randomHex(20)
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
    reserve: (more) => reserve(db, request(more)),
    async sign(more) {
      const asked = request(more)
      const outcome = await reserve(db, asked)
      if (!outcome.ok) throw new FixtureError(`Not reserved: ${outcome.rule}.`)
      const userOpHash = randomHex(32)
      await recordSignature(db, { id: outcome.id, userOpHash, paymaster: asked.paymaster })
      return { request: asked, userOpHash }
    },
    settle: ({ request: { chainId, entryPoint, paymaster: payer, sender, nonce }, userOpHash }, more) =>
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

const randomHex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`
