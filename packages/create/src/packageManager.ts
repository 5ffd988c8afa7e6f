import { spawn } from 'node:child_process'

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** Returns the package manager that runs this process, according to the user agent. */
export function findPackageManager(userAgent = ''): PackageManager {
  const [name = ''] = userAgent.split('/')
  return name === 'pnpm' || name === 'yarn' || name === 'bun' ? name : 'npm'
}

/** Returns the arguments with which the package manager runs a script of the app. */
export const toRunArguments = (manager: PackageManager, script: string): string[] =>
  manager === 'npm' || manager === 'bun' ? ['run', script] : [script]

/** Runs the package manager in this terminal. Resolves to its exit code, or to 127 if it is not installed. */
export function runPackageManager(manager: PackageManager, args: readonly string[], cwd: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(manager, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
    child.once('error', () => resolve(127))
    // SIGINT means that the user pressed Ctrl-C, which reaches both processes.
    child.once('exit', (code, signal) => resolve(signal === 'SIGINT' ? 0 : (code ?? 1)))
  })
}
