import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { isPublicAddress } from '../../platform/http/publicLookup.ts'
import type { Call, Command, Outcome } from '../command.ts'
import { createReader } from '../createReader.ts'
import { findProjectProblems } from '../findProjectProblems.ts'
import { writeFolder } from '../writeFolder.ts'
import { composeFiles } from './compose.ts'
import { argumentInvalid, type Context, type Target, targets } from './context.ts'
import { helmFiles } from './helm.ts'
import { makePlan, type Plan } from './plan.ts'
import { type Answers, questions } from './questions.ts'
import { listProjects, type Step } from './shared.ts'
import { systemdFiles } from './systemd.ts'

/** Writes all files that a first start needs. */
export const initCommand = {
  takes:
    '[--for systemd|compose|helm] [--domain NAME] [--database URL] [--smtp URL] [--chain ID,NODE_URL,BUNDLER_URL] [--keys SERVICE] [--out FOLDER] [--name NAME] [--origins URL,URL] [--address IP]',
  does: 'ask five questions (domain, database, mail server, chain, key service) and write a new folder with all settings, secrets, proxy configuration and DNS records of a server, and with NEXT.md, the steps from there to the first sign-in. Each question is also an option, for use without a terminal. Files are readable only by their owner; secrets are never printed and no file is overwritten',
  options: ['for', 'domain', 'database', 'smtp', 'chain', 'keys', 'out', 'name', 'origins', 'address'],
  run: init,
} as const satisfies Command

async function init(call: Call): Promise<Outcome> {
  const { environment, options } = call
  const target = readTarget(options.for)
  const reader = createReader(environment)
  const answers = await collectAnswers(call, { target, readText: reader.readText })
  const out = resolve(options.out ?? (target === 'systemd' ? '/etc/latchkey' : 'latchkey'))
  if (!/^[\w./-]+$/.test(out))
    throw argumentInvalid(
      '--out must be a path of letters, digits, dots, hyphens and _, since settings and commands name it.',
    )
  const { domain } = answers
  const plan = makePlan({
    target,
    answers,
    out,
    name: readName(options.name ?? domain),
    origins: readOrigins(options.origins ?? `https://app.${domain}`),
    address: readAddress(options.address, target),
  })
  refuseProblems(plan)
  const { files, steps } = writers[target](plan)
  const written = writeFolder(out, { ...files, 'NEXT.md': formatSteps(steps, plan) })
  const key = written.find((file) => file.endsWith('/LATCHKEY_KEY_ENCRYPTION_KEY'))
  const lines = [
    `Wrote ${written.length} files to ${out}. Secrets are in ${out}/secrets, readable only by their owner.`,
    ...(key === undefined
      ? []
      : [`WARNING: copy ${key} to two places off this machine. If it is lost, all wallets are lost.`]),
    `Continue with ${out}/NEXT.md.`,
  ]
  return { text: lines.join('\n\n'), result: { folder: out, files: written, next: `${out}/NEXT.md` } }
}

const writers: Record<Target, (plan: Plan) => { files: Record<string, string>; steps: Step[] }> = {
  compose: composeFiles,
  helm: helmFiles,
  systemd: systemdFiles,
}

function readTarget(text = 'systemd'): Target {
  const target = targets.find((one) => one === text)
  if (!target) throw argumentInvalid(`--for must be ${targets.join(', ')}.`)
  return target
}

/** Without a terminal, reports all missing and invalid answers together. */
async function collectAnswers(call: Call, context: Context): Promise<Answers> {
  const problems: string[] = []
  const read = async <name extends keyof Answers>(name: name): Promise<Answers[name]> => {
    try {
      return await answer(name, call, context)
    } catch (error) {
      if (!(error instanceof ServerError) || call.ask) throw error
      problems.push(error.message)
      return undefined as never
    }
  }
  const answers = {
    domain: await read('domain'),
    database: await read('database'),
    smtp: await read('smtp'),
    chain: await read('chain'),
    keys: await read('keys'),
  }
  if (problems.length > 0) throw argumentInvalid(`${problems.join('\n')}\nNothing was written.`)
  return answers
}

const maxTries = 5

/** Returns an answer from its option, or asks until the answer is valid. */
async function answer<name extends keyof Answers>(
  name: name,
  { ask, options, onProgress }: Call,
  context: Context,
): Promise<Answers[name]> {
  const { what, setting, fallback, parse } = questions[name]
  const configured = setting === undefined ? undefined : context.readText(setting)
  const usual = configured ?? fallback?.[context.target]
  const all: { [key in keyof Answers]?: string | undefined } = options
  let given = all[name]
  if (!ask) {
    if (given === undefined && usual === undefined) throw argumentInvalid(`Give --${name}: ${what}.`)
    return parse(given ?? usual ?? '', context)
  }
  // A configured value may contain a password.
  const shown = configured === undefined ? usual : `from ${setting}`
  for (let tries = 0; tries < maxTries; tries++) {
    given ??= (await ask(`${name}: ${what}${shown === undefined ? '' : ` [${shown}]`}\n> `)).trim() || (usual ?? '')
    try {
      return parse(given, context)
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      onProgress(error.message)
      given = undefined
    }
  }
  throw argumentInvalid(`--${name} could not be read. Nothing was written.`)
}

/** The name appears in environment files and e-mails. */
function readName(text: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N} .&_-]{0,63}$/u.test(text)) return text
  throw argumentInvalid('--name must be 1 to 64 letters, digits, spaces, dots, hyphens, & and _.')
}

function readOrigins(text: string): string[] {
  return text.split(',').map((part) => part.trim())
}

function readAddress(given: string | undefined, target: Target): string | undefined {
  if (given !== undefined) {
    if (isIP(given)) return given
    throw argumentInvalid('--address must be the public IP address of the proxy.')
  }
  if (target === 'helm') return undefined
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return all.find(({ address, family }) => family === 'IPv4' && isPublicAddress(address))?.address
}

/** Before writing anything, rejects a configuration that `start` would reject. */
function refuseProblems(plan: Plan): void {
  const problems = findProjectProblems(listProjects(plan), { mode: 'production' })
  if (problems.length > 0) throw argumentInvalid(`--origins: ${problems.join(' ')}\nNothing was written.`)
}

function formatSteps(steps: readonly Step[], { domain, target }: Plan): string {
  const parts = steps.map(({ title, text, commands, code }, index) =>
    [
      `## ${index + 1}. ${title}`,
      ...(text ? [text] : []),
      ...(commands ? [`\`\`\`sh\n${commands.join('\n')}\n\`\`\``] : []),
      ...(code ? [`\`\`\`ts\n${code}\n\`\`\``] : []),
    ].join('\n\n'),
  )
  return `# From here to the first sign-in on ${domain}\n\nRun the commands in this order${target === 'systemd' ? ', as root' : ''}. Repeat a step that failed once its cause is fixed.\n\n${parts.join('\n\n')}\n`
}
