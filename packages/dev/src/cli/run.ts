import type { Devnet } from '../devnet/devnet.ts'
import { DevError } from '../errors.ts'
import { type CliOptions, parseOptions, usage } from './options.ts'
import { startCommand } from './startCommand.ts'

/** Runs the command until it receives a signal. Resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  if (args[0] === 'parity') {
    const { runParity } = await import('latchkey-migrate')
    return runParity(args.slice(1), 'latchkey-dev parity')
  }
  if (args[0] === 'codemod') {
    const { runCodemod } = await import('latchkey-migrate')
    return runCodemod(args.slice(1), 'latchkey-dev codemod')
  }
  if (args[0] === 'exit') {
    const { runExit } = await import('latchkey-exit')
    return runExit(args.slice(1), 'latchkey-dev exit')
  }
  if (args[0] === 'install') {
    const { runInstall } = await import('./runInstall.ts')
    return runInstall(args.slice(1))
  }
  const options = read(args)
  if (!options) return 2
  const { help, json, command: given, crossSite, ...settings } = options
  if (help) {
    console.log(usage)
    return 0
  }
  // Imported here, so that an invalid option is reported immediately.
  const { startDevnet } = await import('../devnet/devnet.ts')
  const { crossSiteHosts } = await import('../devnet/devnetHosts.ts')
  const say = json ? console.error : console.log
  const stop = signalled()
  const crash = crashed()
  const abort = new AbortController()
  const starting = startDevnet({
    ...settings,
    hosts: crossSite ? crossSiteHosts : undefined,
    log: (line) => say(`  ${line}`),
    onCrash: crash.report,
    signal: abort.signal,
  })
  say('Starting the devnet …')
  const ended = await Promise.race([starting.then(() => undefined), stop.received])
  if (ended) {
    abort.abort()
    await starting.then((devnet) => devnet.close()).catch(() => undefined)
    return exitCode(ended)
  }
  const devnet = await starting
  announce(devnet, options)
  if (settings.webhookUrl !== undefined)
    say(`webhooks go to ${settings.webhookUrl}, signed with ${devnet.webhookSecret}`)
  const command = given && startCommand(given, devnet.urls.wallet)
  try {
    const end = await Promise.race([stop.received, crash.happened, ...(command ? [command.ended] : [])])
    if (end instanceof DevError) {
      console.error(`\n${end.message}\nThe devnet has been stopped. Start it again to continue; its data are kept.`)
      return 1
    }
    say('\nStopping the devnet …')
    return typeof end === 'number' ? end : exitCode(end)
  } finally {
    await command?.stop()
    await devnet.close()
  }
}

function read(args: readonly string[]): CliOptions | undefined {
  try {
    return parseOptions(args)
  } catch (error) {
    if (!(error instanceof DevError)) throw error
    console.error(`${error.message}\n\n${usage}`)
    return undefined
  }
}

function announce(devnet: Devnet, { json, example }: CliOptions): void {
  // Measures from the start of the process, including the time to load the program.
  const readyMs = Math.round(performance.now())
  if (json) console.log(devnetJson(devnet, readyMs))
  else console.log(`\n${describeDevnet(devnet, { example })}\n\nready in ${(readyMs / 1000).toFixed(1)} s`)
}

function crashed(): { happened: Promise<DevError>; report(error: DevError): void } {
  let report: (error: DevError) => void = () => undefined
  const happened = new Promise<DevError>((resolve) => {
    report = resolve
  })
  return { happened, report: (error) => report(error) }
}

/**
 * Returns the exit code for a signal. Termination counts as success; a closed terminal exits with 128 + 1, as in
 * shells.
 */
function exitCode(signal: NodeJS.Signals): number {
  return { SIGINT: 0, SIGTERM: 0, SIGHUP: 129 }[signal as 'SIGINT' | 'SIGTERM' | 'SIGHUP'] ?? 1
}

/**
 * Waits for Ctrl-C, SIGTERM or a closed terminal. A second signal exits the process immediately; exit handlers and the
 * guard then kill the children.
 */
export function signalled(): { received: Promise<NodeJS.Signals> } {
  let count = 0
  const received = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        count += 1
        // npm forwards a Ctrl-C that the terminal has already sent to this process, so two signals count as one.
        if (count > 2) process.exit(130)
        resolve(signal)
      })
    }
  })
  return { received }
}

/** Returns the table that is printed when the devnet is ready. */
export function describeDevnet(devnet: Devnet, options: { example: boolean }): string {
  const rows: [string, string][] = [
    ['Console', devnet.urls.console],
    ['Inbox', `${devnet.urls.console}/inbox`],
    ['Signer API', devnet.urls.signerApi],
    ['Gateway', `${devnet.urls.gateway}/${devnet.apiKey}`],
    ['Custody API', devnet.urls.custody],
    ['Auth frame', devnet.urls.authFrame],
    ['Export frame', devnet.urls.exportFrame],
    ['Import frame', devnet.urls.importFrame],
    ['Admin API', devnet.urls.admin],
    ['Chain node', `${devnet.urls.node}  (chain id ${devnet.chainId})`],
    ['Bundler', devnet.urls.bundler],
    ['Mail server', `smtp://localhost:${devnet.smtpPort}`],
    ['Identity provider', devnet.urls.provider],
    ['API key', devnet.apiKey],
    ['Gas policy', devnet.policyId],
  ]
  if (options.example) rows.unshift(['Example wallet', devnet.urls.wallet])
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')
}

/** Returns the devnet's URLs and keys as one line of JSON, for programs. */
export function devnetJson(devnet: Devnet, readyMs: number): string {
  const { urls, smtpPort, apiKey, policyId, rootOrganizationId, addresses, chainId } = devnet
  return JSON.stringify({ urls, smtpPort, apiKey, policyId, rootOrganizationId, addresses, chainId, readyMs })
}
