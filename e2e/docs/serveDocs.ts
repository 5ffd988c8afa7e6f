import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { preview } from 'vite'

const root = join(import.meta.dirname, '../..')

/** Builds the docs like `npm run docs -- --build`. Dead links fail the build. */
export function buildDocs(): void {
  const script = `import(${JSON.stringify(join(root, 'scripts/lib/docs.mjs'))}).then(async ({ buildDocs }) => {
    process.exitCode = (await buildDocs(() => {})).code
  })`
  execFileSync(process.execPath, ['-e', script], { cwd: root, stdio: 'pipe', timeout: 800_000 })
}

export declare namespace serveBuiltDocs {
  type ReturnType = { url: string; close(): Promise<void> }
}

export async function serveBuiltDocs(port: number): Promise<serveBuiltDocs.ReturnType> {
  const server = await preview({
    root: join(root, 'docs'),
    configFile: false,
    logLevel: 'silent',
    // The site has one file per page. A missing page must respond with 404.
    appType: 'mpa',
    build: { outDir: join(root, 'docs/.vitepress/dist') },
    preview: { port, strictPort: true, host: 'localhost' },
  })
  return { url: `http://localhost:${port}/`, close: () => server.close() }
}
