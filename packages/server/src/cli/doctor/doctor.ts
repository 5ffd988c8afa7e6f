import { ServerError } from '../../platform/errors/ServerError.ts'
import { type Environment, usedName } from '../createReader.ts'
import type { Config } from '../readConfig.ts'
import { appChecks } from './appChecks.ts'
import { chainChecks } from './chainChecks.ts'
import type { CheckGroup, Network } from './checks.ts'
import { databaseChecks } from './databaseChecks.ts'
import { frameChecks } from './frameChecks.ts'
import { keyChecks } from './keyChecks.ts'
import { mailChecks } from './mailChecks.ts'
import { createNetwork } from './network.ts'
import { operatorChecks } from './operatorChecks.ts'
import { paymasterChecks } from './paymasterChecks.ts'
import { policyChecks } from './policyChecks.ts'
import { providerChecks } from './providerChecks.ts'
import { roleChecks } from './roleChecks.ts'

/** All checks, in the order of display. */
const groups: readonly CheckGroup[] = [
  databaseChecks,
  keyChecks,
  mailChecks,
  frameChecks,
  appChecks,
  providerChecks,
  chainChecks,
  paymasterChecks,
  policyChecks,
  operatorChecks,
  roleChecks,
]

/** `skip`: the check did not run; `text` contains the reason. */
export type Finding = { name: string; state: 'ok' | 'skip' | 'fail'; text: string }

/** Checks the dependencies of the configured roles in parallel, each within a time limit. */
export async function doctor(
  config: Pick<Config, 'server' | 'doctor'>,
  network: Network = createNetwork(config.doctor),
): Promise<Finding[]> {
  const subject = { ...config, network }
  return Promise.all(
    groups
      .flatMap((list) => list(subject))
      .map(async ({ name, run }): Promise<Finding> => {
        try {
          const result = await run()
          if (typeof result === 'string') return { name, state: 'ok', text: result }
          return { name, state: 'skip', text: result.skipped }
        } catch (error) {
          return { name, state: 'fail', text: error instanceof ServerError ? error.message : 'failed' }
        }
      }),
  )
}

/** Replaces each setting in the findings by the variable that sets it: `NAME_FILE` if a file contains the value. */
export function nameUsedSettings(findings: readonly Finding[], environment: Environment): Finding[] {
  return findings.map((finding) => ({
    ...finding,
    text: finding.text.replace(/\b(?:DATABASE_URL|LATCHKEY_[A-Z0-9_]+)\b/g, (name) => usedName(environment, name)),
  }))
}

export function countFindings(findings: readonly Finding[]): Record<Finding['state'], number> {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  return { ok: count('ok'), skip: count('skip'), fail: count('fail') }
}

export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ name }) => name.length))
  const rows = findings.map(({ name, state, text }) => `${labels[state]}  ${name.padEnd(width)}  ${text}`)
  const { ok, skip, fail } = countFindings(findings)
  return [...rows, `${ok} ok, ${skip} skipped, ${fail} failed`].join('\n')
}

const labels = { ok: 'ok  ', skip: 'skip', fail: 'FAIL' } as const
