import { spawn } from 'node:child_process'

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** The one that runs us, by the name it gives its children. */
export function findPackageManager(userAgent = ''): PackageManager {
  const [name = ''] = userAgent.split('/')
  return name === 'pnpm' || name === 'yarn' || name === 'bun' ? name : 'npm'
}

/** Arguments that run a script of the app. */
export const toRunArguments = (manager: PackageManager, script: string): string[] =>
  manager === 'npm' || manager === 'bun' ? ['run', script] : [script]

/** Runs it in this terminal. Resolves to its exit code, 127 where it is missing. */
export function runPackageManager(manager: PackageManager, args: readonly string[], cwd: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(manager, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
    child.once('error', () => resolve(127))
    // Ended by Ctrl-C, which reached it as it reached us: as the user wished.
    child.once('exit', (code, signal) => resolve(signal === 'SIGINT' ? 0 : (code ?? 1)))
  })
}
