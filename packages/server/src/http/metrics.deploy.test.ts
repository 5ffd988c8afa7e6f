import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { measureProcess, respondWithMetrics } from './metrics.ts'

// The dashboard and the alert rules that operators begin with name only what the server has.

const deploy = (name: string) => readFileSync(new URL(`../../../../deploy/${name}`, import.meta.url), 'utf8')

/** Metrics by name with their labels; those of samples of a histogram, too. */
async function readMetrics(): Promise<Set<string>> {
  measureProcess()
  const text = await (await respondWithMetrics(new Request('http://localhost/metrics'))).text()
  return new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
}

/** What an expression of PromQL names: the words before a selector or a range, of ours or of a process. */
const readNames = (expression: string) => expression.match(/\b(?:latchkey|process|nodejs)_\w+/g) ?? []

test('default: every expression of the alert rules names metrics of the server', async () => {
  const known = await readMetrics()
  const expressions = [...deploy('alerts.yml').matchAll(/^ {8}expr: (.+)$/gm)].map(([, expression = '']) => expression)
  const alerts = deploy('alerts.yml').match(/- alert: /g)
  expect(expressions).toHaveLength(alerts?.length ?? 0)
  for (const expression of expressions.filter((each) => !each.startsWith('up{'))) {
    expect(readNames(expression), expression).not.toEqual([])
    for (const name of readNames(expression)) expect(known, expression).toContain(name)
  }
})

test('default: every panel of the dashboard names metrics of the server', async () => {
  const known = await readMetrics()
  type Panel = { title: string; targets: { expr: string }[] }
  const { panels } = JSON.parse(deploy('dashboard.json')) as { panels: Panel[] }
  for (const { title, targets } of panels)
    for (const { expr } of targets) {
      expect(readNames(expr), title).not.toEqual([])
      for (const name of readNames(expr)) expect(known, title).toContain(name)
    }
})

test('behavior: every metric of ours is in the dashboard', async () => {
  const shown = new Set(readNames(deploy('dashboard.json')))
  const ours = [...(await readMetrics())].filter((name) => /^latchkey_(?!.*_(?:sum|count)$)/.test(name))
  expect(ours.filter((name) => !shown.has(name))).toEqual([])
})
