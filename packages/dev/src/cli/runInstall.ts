import { cacheFolder } from '../devnet/dataFolder.ts'
import { ensureThirdParty } from '../thirdParty/ensureThirdParty.ts'

const usage = `Usage: latchkey-dev install

Downloads the bundler and the EntryPoint contracts (GPL-3.0) from npm, so that later starts need no network.`

/** Runs `latchkey-dev install`. Resolves to the exit code. */
export async function runInstall(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(usage)
    return 0
  }
  if (args.length > 0) {
    console.error(`latchkey-dev install takes no argument.\n\n${usage}`)
    return 2
  }
  const { contracts } = await ensureThirdParty({ cacheDir: cacheFolder('.latchkey'), log: console.log })
  console.log(`Installed in ${contracts}.`)
  return 0
}
