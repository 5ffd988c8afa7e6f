import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { createOwner, queryExamples, question, submission, submitExamples } from '@latchkey/testkit/custodyExamples'
import { explainStatements, type Plan, recordStatements } from '@latchkey/testkit/recordStatements'
import { afterAll, beforeAll, expect, test } from 'vitest'

// PostgreSQL plans every statement with sequential scans disabled, so a remaining scan means a missing index.

let custody: TestCustody
let plans: Plan[]

beforeAll(async () => {
  custody = await startTestCustody()
  const statements = await recordStatements(async (during) => {
    for (const [group, examples, make] of [
      ['submit', submitExamples, submission],
      ['query', queryExamples, question],
    ] as const)
      for (const [name, { by, threshold }] of Object.entries(examples)) {
        const owner = await createOwner(custody, threshold)
        const body = await make(custody, owner, name)
        during(`${group}/${name}`)
        const { status } = await custody.call(`${group}/${name}`, body, by === 'parent' ? custody.rootKey : owner.key)
        during('')
        expect([name, status]).toEqual([name, 200])
      }
  })
  plans = await explainStatements(custody.store.databaseUrl, statements)
}, 180_000)
afterAll(() => custody?.close())

test('finds every row by an index', () => {
  expect(plans.length).toBeGreaterThan(60)
  const without = plans.flatMap(({ during, text, scans }) =>
    scans
      .filter(({ kind, conditions }) => kind === 'Seq Scan' || !conditions.startsWith('INDEX'))
      .map((scan) => ({ during, text, scan })),
  )
  expect(without).toEqual([])
})
