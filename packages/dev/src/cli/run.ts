import { DevError } from '../errors.ts'
import type { World } from '../world/world.ts'
import { type CliOptions, parseOptions, usage } from './options.ts'
import { startCommand } from './startCommand.ts'

/** Runs the command until a signal ends it. Resolves to the exit code. */
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
  const options = read(args)
  if (!options) return 2
  if (options.help) {
    console.log(usage)
    return 0
  }
  // Loaded only now: a wrong option is reported at once.
  const { startWorld } = await import('../world/world.ts')
  const { crossSiteHosts } = await import('../world/worldHosts.ts')
  const say = options.json ? console.error : console.log
  const stop = signalled()
  const crash = crashed()
  const abort = new AbortController()
  const { portBase, dataDir, fresh, chainId, rpcUrl, example, appUrls, webhookUrl, crossSite } = options
  const starting = startWorld({
    portBase,
    dataDir,
    fresh,
    chainId,
    rpcUrl,
    example,
    appUrls,
    webhookUrl,
    hosts: crossSite ? crossSiteHosts : undefined,
    log: (line) => say(`  ${line}`),
    onCrash: crash.report,
    signal: abort.signal,
  })
  say('Starting the world …')
  const ended = await Promise.race([starting.then(() => undefined), stop.received])
  if (ended) {
    abort.abort()
    await starting.then((world) => world.close()).catch(() => undefined)
    return exitCode(ended)
  }
  const world = await starting
  announce(world, options)
  if (webhookUrl !== undefined) say(`webhooks go to ${webhookUrl}, signed with ${world.webhookSecret}`)
  const command = options.command && startCommand(options.command, world.urls.wallet)
  try {
    const end = await Promise.race([stop.received, crash.happened, ...(command ? [command.ended] : [])])
    if (end instanceof DevError) {
      console.error(`\n${end.message}\nEverything else has been ended. Start again to go on where it stopped.`)
      return 1
    }
    say('\nEnding the world …')
    return typeof end === 'number' ? end : exitCode(end)
  } finally {
    await command?.stop()
    await world.close()
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

function announce(world: World, { json, example }: CliOptions): void {
  // Counted from the start of the process, so that loading the program is in it.
  const readyMs = Math.round(performance.now())
  if (json) console.log(worldJson(world, readyMs))
  else console.log(`\n${describeWorld(world, { example })}\n\nready in ${(readyMs / 1000).toFixed(1)} s`)
}

function crashed(): { happened: Promise<DevError>; report(error: DevError): void } {
  let report: (error: DevError) => void = () => undefined
  const happened = new Promise<DevError>((resolve) => {
    report = resolve
  })
  return { happened, report: (error) => report(error) }
}

/** A signal to end is no failure; a closed terminal is reported as shells do, 128 + 1. */
function exitCode(signal: NodeJS.Signals): number {
  return { SIGINT: 0, SIGTERM: 0, SIGHUP: 129 }[signal as 'SIGINT' | 'SIGTERM' | 'SIGHUP'] ?? 1
}

/**
 * Waits for a wish to end: Ctrl-C, SIGTERM or a closed terminal. The second wish is not waited for: the process exits,
 * and its exit handlers and the guard end the children the hard way.
 */
export function signalled(): { received: Promise<NodeJS.Signals> } {
  let count = 0
  const received = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        count += 1
        // npm passes a Ctrl-C on that the terminal has already sent to us: the pair counts once.
        if (count > 2) process.exit(130)
        resolve(signal)
      })
    }
  })
  return { received }
}

/** The table a person reads when the world is ready. */
export function describeWorld(world: World, options: { example: boolean }): string {
  const rows: [string, string][] = [
    ['Console', world.urls.console],
    ['Inbox', `${world.urls.console}/inbox`],
    ['Signer API', world.urls.signerApi],
    ['Gateway', `${world.urls.gateway}/${world.apiKey}`],
    ['Custody API', world.urls.custody],
    ['Auth frame', world.urls.authFrame],
    ['Export frame', world.urls.exportFrame],
    ['Import frame', world.urls.importFrame],
    ['Admin API', world.urls.admin],
    ['Chain node', `${world.urls.node}  (chain id ${world.chainId})`],
    ['Bundler', world.urls.bundler],
    ['Mail server', `smtp://localhost:${world.smtpPort}`],
    ['API key', world.apiKey],
    ['Gas policy', world.policyId],
  ]
  if (options.example) rows.unshift(['Example wallet', world.urls.wallet])
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')
}

/** The same for programs: one line of JSON. */
export function worldJson(world: World, readyMs: number): string {
  const { urls, smtpPort, apiKey, policyId, rootOrganizationId, addresses, chainId } = world
  return JSON.stringify({ urls, smtpPort, apiKey, policyId, rootOrganizationId, addresses, chainId, readyMs })
}
