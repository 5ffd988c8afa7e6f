import { ServerError } from '../../platform/errors/ServerError.ts'
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

/** All checks, in the order of display. */
const groups: readonly CheckGroup[] = [
  databaseChecks,
  keyChecks,
  mailChecks,
  frameChecks,
  appChecks,
  chainChecks,
  paymasterChecks,
  policyChecks,
  operatorChecks,
]

export type Finding = { name: string; ok: boolean; text: string }

/** Checks the dependencies of the configured roles in parallel, each with a time limit. */
export async function doctor(
  config: Pick<Config, 'server' | 'doctor'>,
  network: Network = createNetwork(config.doctor),
): Promise<Finding[]> {
  const subject = { ...config, network }
  return Promise.all(
    groups
      .flatMap((list) => list(subject))
      .map(async ({ name, run }) => {
        try {
          return { name, ok: true, text: await run() }
        } catch (error) {
          return { name, ok: false, text: error instanceof ServerError ? error.message : 'failed' }
        }
      }),
  )
}

/** Formats the findings as a table for a terminal. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  return findings.map(({ name, ok, text }) => `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${text}`).join('\n')
}
