import { DevError } from '../errors.ts'
import type { World } from '../world.ts'
import { describeWorld, worldJson } from './describeWorld.ts'
import { type CliOptions, parseOptions, usage } from './options.ts'
import { signalled } from './signalled.ts'

/** Runs the command until it is told to end. Resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const options = read(args)
  if (!options) return 2
  if (options.help) {
    console.log(usage)
    return 0
  }
  // Loaded only now: a wrong option is answered at once.
  const { startWorld } = await import('../world.ts')
  const say = options.json ? console.error : console.log
  const stop = signalled()
  const crash = crashed()
  const giveUp = new AbortController()
  const { portBase, dataDir, fresh, chainId, rpcUrl, example, appUrls } = options
  const starting = startWorld({
    portBase,
    dataDir,
    fresh,
    chainId,
    rpcUrl,
    example,
    appUrls,
    log: (line) => say(`  ${line}`),
    onCrash: crash.report,
    signal: giveUp.signal,
  })
  say('Starting the world …')
  const ended = await Promise.race([starting.then(() => undefined), stop.received])
  if (ended) {
    giveUp.abort()
    await starting.then((world) => world.close()).catch(() => undefined)
    return exitCode(ended)
  }
  const world = await starting
  announce(world, options)
  const end = await Promise.race([stop.received, crash.happened])
  if (end instanceof DevError) {
    console.error(`\n${end.message}\nEverything else has been ended. Start again to go on where it stopped.`)
    return 1
  }
  say('\nEnding the world …')
  await world.close()
  return exitCode(end)
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

/** To be told to end is no failure; a terminal that went away is reported as shells do, 128 + 1. */
function exitCode(signal: NodeJS.Signals): number {
  return { SIGINT: 0, SIGTERM: 0, SIGHUP: 129 }[signal as 'SIGINT' | 'SIGTERM' | 'SIGHUP'] ?? 1
}
