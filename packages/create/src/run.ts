import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { CreateError } from './CreateError.ts'
import { isTemplate, parseOptions, type Template, templates, toPackageName, usage } from './options.ts'
import { findPackageManager, type PackageManager, runPackageManager, toRunArguments } from './packageManager.ts'
import { assertEmpty, writeApp } from './writeApp.ts'

const defaultFolder = 'latchkey-app'
const defaultTemplate: Template = 'vite'

/** Runs the command. Resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const options = parseOptions(args)
  if (options.help) {
    console.log(usage)
    return 0
  }
  const manager = findPackageManager(process.env.npm_config_user_agent)
  const wishes = await completeOptions(options)
  const folder = writeApp(wishes)
  const shown = relative('', folder) || '.'
  const steps = toSteps(manager, shown)
  if (options.json) {
    console.log(JSON.stringify({ folder, template: wishes.template, packageManager: manager, next: steps }))
    return 0
  }
  console.log(`\n${templates[wishes.template]} in ${shown}.`)
  if (!wishes.start) {
    console.log(`\nNext:\n${steps.map((step) => `  ${step}`).join('\n')}\n`)
    return 0
  }
  // Install scripts are not run, because the devnet needs none.
  const installed = await runPackageManager(manager, ['install'], folder)
  if (installed !== 0)
    throw new CreateError(`${manager} install failed; ${shown} is complete otherwise. Then: ${steps.join(' && ')}`, {
      code: 'COMMAND_FAILED',
    })
  return runPackageManager(manager, toRunArguments(manager, 'dev'), folder)
}

function toSteps(manager: PackageManager, folder: string): string[] {
  const steps = [`${manager} install`, [manager, ...toRunArguments(manager, 'dev')].join(' ')]
  return folder === '.' ? steps : [`cd ${/\s/.test(folder) ? JSON.stringify(folder) : folder}`, ...steps]
}

type Choices = { folder: string; template: Template; start: boolean }

/** Asks the user for missing options, if the input is a terminal. */
async function completeOptions(options: ReturnType<typeof parseOptions>): Promise<Choices> {
  const { folder = defaultFolder, template = defaultTemplate, start = false } = options
  const mayAsk = !options.yes && !options.json && process.stdin.isTTY === true
  if (!mayAsk) return { folder, template, start }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // Also reads lines that the user has typed before the prompt.
  const lines = terminal[Symbol.asyncIterator]()
  const ask = (question: string, fallback: string, check: Check) => askFor(lines, { question, fallback, check })
  try {
    const names = Object.keys(templates).join(' or ')
    return {
      folder: options.folder ?? (await ask(`Folder (${folder}): `, folder, checkFolder)),
      template: options.template ?? ((await ask(`${names} (${template}): `, template, checkTemplate)) as Template),
      start: options.start ?? /^y/i.test(await ask('Install and start it now? (yes): ', 'yes', () => undefined)),
    }
  } finally {
    terminal.close()
  }
}

/** Returns the problem with an answer; undefined if the answer is valid. */
type Check = (text: string) => string | undefined

/** Asks a question at most three times, so that a script that feeds invalid answers ends the command. */
async function askFor(
  lines: AsyncIterator<string>,
  { question, fallback, check }: { question: string; fallback: string; check: Check },
): Promise<string> {
  for (let tries = 1; ; tries++) {
    process.stdout.write(question)
    const line = await lines.next()
    if (line.done) throw new CreateError('Nothing was made.', { code: 'CONFIG_INVALID' })
    const text = line.value.trim() || fallback
    const fault = check(text)
    if (fault === undefined) return text
    if (tries === 3) throw new CreateError(fault, { code: 'CONFIG_INVALID' })
    console.log(fault)
  }
}

function checkFolder(text: string): string | undefined {
  try {
    toPackageName(text)
    assertEmpty(resolve(text), text)
    return undefined
  } catch (error) {
    return (error as CreateError).message
  }
}

const checkTemplate = (text: string): string | undefined =>
  isTemplate(text) ? undefined : `Type ${Object.keys(templates).join(' or ')}.`
