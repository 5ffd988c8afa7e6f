import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { FixtureError } from '../FixtureError.ts'

const script = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Runs axe-core, by default with the rules of WCAG 2.2 AA and best practices. Returns each violated rule with its
 * elements.
 */
export async function findViolations(page: Pick<Page, 'evaluate'>, rules?: readonly string[]): Promise<string[]> {
  // Evaluates the source, because the page's content security policy would block a script element.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await readFile(script, 'utf8'))
  const runOnly = rules ? { type: 'rule' as const, values: [...rules] } : { type: 'tag' as const, values: tags }
  const { violations, passes } = await page.evaluate(
    (only): Promise<AxeResults> =>
      (window as unknown as { axe: typeof import('axe-core') }).axe.run(document, { runOnly: only }),
    runOnly,
  )
  if (passes.length === 0) throw new FixtureError('axe-core checked nothing.')
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
}
